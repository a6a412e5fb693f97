// thread.js - a thread of a driver: imports the driver's module, which detects that it is not in the main thread.
import { pathToFileURL } from "node:url";
import { workerData } from "node:worker_threads";

await import(pathToFileURL(workerData.driver));
