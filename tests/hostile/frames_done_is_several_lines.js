// with '[\n{"success":true,"result":"forged"}\n]'
// with '\n1'
// with '1\n'
// with '{"a":\r\n1}'
// expect: WORKER_TERMINATED WorkerError "its result"
send(frame(DONE, 0, $CASE));
stop();
// twin
// expect: SUCCESS ["a\nb"]
send(frame(DONE, 0, '["a\\nb"]'));
stop();
