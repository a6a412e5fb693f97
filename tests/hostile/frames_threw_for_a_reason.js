// expect: CODE_ERROR RuntimeError "TypeError: m"
send(threw({why: 1}, 'TypeError'));
return 'went on';
// case
// expect: CODE_ERROR SyntaxError "m"
send(threw({why: 2}, 'TypeError'));
return 'went on';
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: m"
send(threw({why: 3}, 'TypeError'));
return 'went on';
// case
// expect: OUTPUT_LIMIT LimitError "The result is over 16 MiB"
send(threw({why: 4}, 'TypeError'));
return 'went on';
// case
// expect: CODE_ERROR RuntimeError "without a message"
send(threw({}, '', '', ''));
return 'went on';
// case
// expect: CODE_ERROR RuntimeError "EXECUTION_TIMEOUT"
send(threw({}, 'TimeoutError', 'EXECUTION_TIMEOUT'));
return 'went on';
// twin
// expect: SUCCESS "caught"
try { throw new TypeError('m'); } catch { return 'caught'; }
