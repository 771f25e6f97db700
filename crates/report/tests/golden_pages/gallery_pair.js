gallery(
{"key":"run-turn_a-run-turn_b","rows":
[["T611","speed",
{"text":"1.040 (1.040..1.040) better","value":1.04,"why":null}]
,["T611","throughput",
{"text":"1.040 (1.040..1.040) better","value":1.04,"why":null}]]});
