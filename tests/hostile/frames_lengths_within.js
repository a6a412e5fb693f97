// columns WHAT
// with frame(CALL, 1, [4, 2, 'echo', 'i']) | an invalid CALL frame
// with frame(CALL, 1, [4294967295, 2, 'echo', 'it', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [4, 4294967295, 'echo', 'it', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [4294967295, 4294967295, 'echo', 'it', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [2147483648, 2147483648, 'echo', 'it', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [0, 2, 'it', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [4, 0, 'echo', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [65, 2, 'e'.repeat(65), 'it', '{}']) | an invalid CALL frame
// with frame(CALL, 1, [4, 129, 'echo', 'i'.repeat(129), '{}']) | an invalid CALL frame
// with frame(THREW, 0, [1, 0, 0, 1, 0, 0]) | an invalid THREW frame
// with frame(THREW, 0, [1, 0, 0, 0, 0, 0, 'x']) | an invalid THREW frame
// with frame(THREW, 0, [1, 0, 0, 4294967295, 1, 0]) | an invalid THREW frame
// with frame(THREW, 0, [1, 0, 0, 4294967295, 4294967295, 2, '']) | an invalid THREW frame
// with frame(THREW, 0, [1, 0, 0, 2147483648, 2147483648, 0]) | an invalid THREW frame
// with frame(BLOCKED, 1, [1, 0, 0, 0, 0]) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [0, 0, 0, 0, 0, 'x']) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [0, 0, 0, 1, 2, 'x']) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [0, 0, 0, 0, 4294967295]) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [4294967295, 1, 0, 0, 0]) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [129, 0, 0, 0, 0, 'x'.repeat(129)]) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [0, 17, 0, 0, 0, 'x'.repeat(17)]) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [0, 0, 1025, 0, 0, 'x'.repeat(1025)]) | an invalid BLOCKED frame
// with frame(BLOCKED, 1, [0, 0, 0, 2049, 0, 'x'.repeat(2049)]) | an invalid BLOCKED frame
// expect: WORKER_TERMINATED WorkerError "$WHAT"
send($CASE);
return 'went on';
// twin
// expect: SUCCESS "the most there may be"
// expect-blocked-count: 1
// expect-call-count: 1
send(frame(BLOCKED, 1, [128, 16, 1024, 2048, 2048, 'x'.repeat(128 + 16 + 1024 + 2048)]),
    frame(CALL, 1, [64, 128, 'never' + 'e'.repeat(59), 'i'.repeat(128), '{}']));
return 'the most there may be';
