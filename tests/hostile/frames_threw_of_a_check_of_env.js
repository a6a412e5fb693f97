// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// env: {"A": "b"}
send(threw({why: 6}, '', 'parametersSchema: expected a schema'));
return 'went on';
// case
// expect: VALIDATION_ERROR InputError "words of a worker"
// env: {"A": "b"}
send(threw({why: 5}, 'Error', 'words of a worker', '    at nowhere'));
return 'went on';
// twin
// expect: SUCCESS "b"
// env: {"A": "b"}
return args.env.A;
