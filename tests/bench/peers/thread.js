// thread.js - a thread of a driver: the same module again, which finds that it is not the main one.
import { pathToFileURL } from "node:url";
import { workerData } from "node:worker_threads";

await import(pathToFileURL(workerData.driver));
