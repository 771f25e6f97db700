gallery(
{"builds":
[["dbdyno's profile"
,["release"]]
,["dbdyno's C library"
,["gnu 2.41"]]
,["dbdyno's allocator"
,["system"]]
,["dbdyno's embedded sqlite"
,["ENABLE_MATH_FUNCTIONS","THREADSAFE=1"]]],"cells":[
{"about":"at 1x1x1; equivalent: integers scaled by 10,000 in place of exact decimals","alike":[null,null,null],"apart":false,"bar":null,"equivalent":true,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["equivalent"]},"marks":"~","printed":null,"test":null,"text":"512,300","value":512300.0},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"i","printed":null,"test":null,"text":"8,333,000","value":8333000.0},
{"about":"at 1x1x1; equivalent: a recursive query in place of a stored procedure","alike":[null,null,null],"apart":false,"bar":null,"equivalent":true,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["equivalent"]},"marks":"~","printed":null,"test":null,"text":"2,308,000","value":2308000.0},
{"about":"at 1x2x1; equivalent: a recursive query in place of a stored procedure","alike":[null,null,null],"apart":false,"bar":null,"equivalent":true,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["equivalent"]},"marks":"~","printed":null,"test":null,"text":"5,098,000","value":5097910.4},
{"about":"at 1x1x1; equivalent: a recursive query in place of a stored procedure","alike":[null,null,null],"apart":false,"bar":null,"equivalent":true,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["equivalent"]},"marks":"~","printed":null,"test":null,"text":"15.24","value":15.24},
{"about":"at 1x1x1; equivalent: a recursive query in place of a stored procedure","alike":[null,null,null],"apart":false,"bar":null,"equivalent":true,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["equivalent"]},"marks":"~","printed":null,"test":null,"text":"13,700,000","value":13700000.0},
{"about":"at 1x1x1","alike":[null,null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"889.4","value":889.4},
{"about":"at 1x1x1","alike":[null,null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"0.01200","value":0.012},
{"about":"at 1x1x1","alike":[null,null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"2.100","value":2.1},
{"about":"at 1x1x1","alike":["2",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"16,390","value":16394.0},
{"about":"at 1x2x1","alike":["2",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"31,860","value":31860.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"&f","printed":null,"test":"DBL-11","text":"8,060","value":8060.0},
{"about":"at 1x2x1","alike":["10",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"41,000","value":41000.0},
{"about":"at 1x1x1","alike":["2",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"8,197","value":8197.0},
{"about":"at 1x2x1","alike":["2",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"15,930","value":15930.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"&f","printed":null,"test":"DBL-11","text":"806.0","value":806.0},
{"about":"at 1x2x1","alike":["10",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"4,100","value":4100.0},
{"about":"at 1x1x1","alike":["2",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"32.79","value":32.788000000000004},
{"about":"at 1x2x1","alike":["2",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"63.72","value":63.72},
{"about":"at 1x1x1; measured as DBL-11","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"&f","printed":null,"test":"DBL-11","text":"3.224","value":3.224},
{"about":"at 1x2x1","alike":["10",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"16.40","value":16.4},
{"about":"at 1x1x1","alike":[null,null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"304,000","value":304000.0},
{"about":"at 1x1x1","alike":[null,null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"313.2","value":313.2},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"f","printed":null,"test":null,"text":"4,006","value":4006.0},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"8,060","value":8060.0},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"806.0","value":806.0},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"f","printed":null,"test":null,"text":"2.496E-04","value":0.00024962556165751375},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"0.001241","value":0.0012406947890818859},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"f","printed":null,"test":null,"text":"16.02","value":16.024},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"3.224","value":3.224},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"f","printed":null,"test":null,"text":"3,926","value":3925.88},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"789.9","value":789.88},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"f","printed":null,"test":null,"text":"4.100E-04","value":0.00041},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"4.100E-04","value":0.00041},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"f","printed":null,"test":null,"text":"1.870E-04","value":0.000187},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"f","printed":null,"test":null,"text":"1.870E-04","value":0.000187},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"950,400","value":950400.0},
{"about":"at 1x2x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"1,766,000","value":1766400.0},
{"about":"at 1x1x1","alike":[null,null,null],"apart":true,"bar":[2,"{figure} is no figure of the test: served_from_os_cache"],"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"d","printed":null,"test":null,"text":"12.00","value":12.0},
{"about":"at 1x1x1","alike":[null,null,null],"apart":true,"bar":[2,"{figure} is no figure of the test: served_from_os_cache"],"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"d","printed":null,"test":null,"text":"829,400","value":829440.0},
{"about":"at 1x1x1; measured as T426","alike":[null,null,null],"apart":true,"bar":[2,"{figure} is no figure of the test: served_from_os_cache"],"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"]},"marks":"&d","printed":null,"test":"T426","text":"12.00","value":12.0},
{"about":"at 1x1x1; measured as T426","alike":[null,null,null],"apart":true,"bar":[2,"{figure} is no figure of the test: served_from_os_cache"],"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"]},"marks":"&d","printed":null,"test":"T426","text":"829,400","value":829440.0},
{"about":"at 1x1x4","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"4.530","value":4.53},
{"about":"at 1x1x4","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"225,300","value":225280.0},
{"about":"at 1x1x4","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"0","value":0.0},
{"about":"at 1x1x4; measured as T512","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"]},"marks":"&","printed":null,"test":"T512","text":"4.530","value":4.53},
{"about":"at 1x1x4; measured as T512","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"]},"marks":"&","printed":null,"test":"T512","text":"225,300","value":225280.0},
{"about":"at 1x1x4; measured as T512","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"]},"marks":"&","printed":null,"test":"T512","text":"0","value":0.0},
{"about":"at 1x1x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"104,800","value":104850.0},
{"about":"at 1x2x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"209,700","value":209700.0},
{"about":"at 1x1x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"9.537E-06","value":9.537434430138293e-6},
{"about":"at 1x2x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"9.537E-06","value":9.537434430138293e-6},
{"about":"at 1x1x1","alike":["32",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["32"]},"marks":"b","printed":null,"test":null,"text":"147.2","value":147.2},
{"about":"at 1x1x1","alike":["32",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["32"]},"marks":"b","printed":null,"test":null,"text":"4,710","value":4710.4},
{"about":"at 1x1x1","alike":["32",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["32"]},"marks":"b","printed":null,"test":null,"text":"0.006793","value":0.006793478260869566},
{"about":"at 1x1x1","alike":["320",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"","printed":null,"test":null,"text":"5,418,000","value":5417600.0},
{"about":"at 1x1x1","alike":["320",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"","printed":null,"test":null,"text":"16,930","value":16930.0},
{"about":"at 1x1x1","alike":["320",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"","printed":null,"test":null,"text":"5.907E-05","value":0.00005906674542232723},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"14,340","value":14336.0},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"0.7143","value":0.7142857142857143},
{"about":"at 2x128x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"167,700","value":167700.0},
{"about":"at 2x128x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"7.633E-04","value":0.0007632677400119261},
{"about":"at 1x1x1","alike":["1",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"2,621","value":2621.0},
{"about":"at 1x1x1","alike":["1",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"3.815E-04","value":0.00038153376573826786},
{"about":"at 1x1x1","alike":["320",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"e","printed":null,"test":null,"text":"99,200","value":99200.0},
{"about":"at 1x1x1","alike":["320",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"e","printed":null,"test":null,"text":"310.0","value":310.0},
{"about":"at 1x1x1","alike":["320",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"e","printed":null,"test":null,"text":"0.003226","value":0.0032258064516129032},
{"about":"at 1x1x1","alike":["320",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"e","printed":null,"test":null,"text":"651.0","value":651.0},
{"about":"at 1x1x1","alike":["320",null,"durable"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["durable"],"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"],"transactions":["320"]},"marks":"e","printed":null,"test":null,"text":"303.8","value":303.8},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"h","printed":null,"test":null,"text":"4,410","value":4410.0},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"h","printed":null,"test":null,"text":"1,411,000","value":1411200.0},
{"about":"at 1x1x1","alike":[null,null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"definitions":["sqlite 0123456789abcdef"],"drives":["server"],"mappings":["native"]},"marks":"h","printed":null,"test":null,"text":"2.268E-04","value":0.00022675736961451248}],"curves":[],"facts":
{"connections":"one each","engines":"sqlite","floor":"has none","published":"dbdyno","selection":"the best of several","sizes":"D"},"firmware":
[["firmware of BIOS","P66 (07/01/2013)"]
,["firmware of nvme0n1","GDC5602Q"]],"from":"From the exported run 4k2m9x1a.json","key":"run-4k2m9x1a","kind":"sqlite ","notice":"the figures of this fixture are made up","paces":{},"parameters":
[["cache_size","-65536"]
,["journal_mode","wal"]
,["synchronous","full"]],"settings":
[["engine","sqlite"]
,["database version","3.50.2 \\u{1b}[2J"]
,["benchmark","dbdyno"]
,["dbdyno version","0.1.0"]
,["size","D"]
,["seed","42"]
,["duration","2.00 s"]
,["commits","durable and as the engine's default"]
,["year",null]
,["product",null]
,["processor","Example CPU X7560"]
,["sockets","1"]
,["cores","2"]
,["hardware threads","2"]
,["may be used",null]
,["clock","2.27 GHz"]
,["governor","performance"]
,["memory","192 GiB"]
,["huge pages","0 B"]
,["transparent huge pages","madvise"]
,["operating system","Debian GNU/Linux 13"]
,["kernel","6.12.0"]
,["virtualisation","kvm"]
,["storage","Example NVMe 1T; scheduler none; /data ext4 rw,relatime"]
,["driver hosts",null]
,["before each point",null]],"size":"D","tests":[
{"code":"T132","known":true,"metrics":[
{"better":"higher","cells":[[0,0]],"codes":["T132"],"key":"ops_per_s","sized":false,"unit":"ops/s"}],"sizes":[""]},
{"code":"T133","known":true,"metrics":[],"sizes":[""]},
{"code":"T134","known":true,"metrics":[
{"better":"higher","cells":[[1,1]],"codes":["T134"],"key":"ops_per_s","sized":false,"unit":"ops/s"}],"sizes":[""]},
{"code":"T141","known":true,"metrics":[
{"better":"higher","cells":[[2,3]],"codes":["T141"],"key":"ops_per_s","sized":false,"unit":"ops/s"}],"sizes":[""]},
{"code":"T151","known":true,"metrics":[
{"better":"lower","cells":[[4,4]],"codes":["T151"],"key":"elapsed_s","sized":false,"unit":"s"},
{"better":"higher","cells":[[5,5]],"codes":["T151"],"key":"ops_per_s","sized":false,"unit":"ops/s"}],"sizes":[""]},
{"code":"T211","known":true,"metrics":[
{"better":"higher","cells":[[6,6]],"codes":["T211"],"key":"work_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[7,7]],"codes":["T211"],"key":"write_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[8,8]],"codes":["T211"],"key":"write_iops","sized":false,"unit":"IOPS"}],"sizes":[""]},
{"code":"T311","known":true,"metrics":[
{"better":"higher","cells":[[9,10],[11,12],[9,10],[9,10]],"codes":["T311","DBL-11"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[13,14],[15,16],[13,14],[13,14]],"codes":["T311","DBL-11"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[17,18],[19,20],[17,18],[17,18]],"codes":["T311","DBL-11"],"key":"redo_mib_per_s","sized":false,"unit":"MiB/s"}],"sizes":["own 2","10","2",""]},
{"code":"T313","known":true,"metrics":[],"sizes":[""]},
{"code":"T331","known":true,"metrics":[
{"better":"higher","cells":[[21,21]],"codes":["T331"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[22,22]],"codes":["T331"],"key":"redo_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[7,7]],"codes":["T331"],"key":"write_mib_per_s","sized":false,"unit":"MiB/s"}],"sizes":[""]},
{"code":"T332","known":true,"metrics":[],"sizes":[""]},
{"code":"DBL-11","known":true,"metrics":[
{"better":"higher","cells":[[23,24],[24,24],[23,23],[23,24]],"codes":["DBL-11","T311"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[23,23],[25,25],[23,23],[23,23]],"codes":["DBL-11","T311"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"lower","cells":[[26,26],[27,27],[26,26],[26,26]],"codes":["DBL-11","T311"],"key":"service_time_s","sized":false,"unit":"s"},
{"better":"higher","cells":[[28,28],[29,29],[28,28],[28,28]],"codes":["DBL-11","T311"],"key":"redo_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[30,30],[31,31],[30,30],[30,30]],"codes":["DBL-11","T311"],"key":"redo_writes_per_s","sized":false,"unit":"1/s"},
{"better":"lower","cells":[[32,33],[33,33],[32,32],[32,33]],"codes":["DBL-11","T311"],"key":"redo_write_service_time_s","sized":false,"unit":"s"},
{"better":"higher","cells":[[23,23],[25,25],[23,23],[23,23]],"codes":["DBL-11","T311"],"key":"redo_sync_writes_per_s","sized":false,"unit":"1/s"},
{"better":"lower","cells":[[34,35],[35,35],[34,34],[34,35]],"codes":["DBL-11","T311"],"key":"redo_sync_service_time_s","sized":false,"unit":"s"}],"sizes":["own 1 10","10","1",""]},
{"code":"T421","known":true,"metrics":[
{"better":"higher","cells":[[36,37]],"codes":["T421"],"key":"rows_per_s","sized":false,"unit":"rows/s"}],"sizes":[""]},
{"code":"T426","known":true,"metrics":[
{"better":"higher","cells":[[38,38]],"codes":["T426"],"key":"read_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[39,39]],"codes":["T426"],"key":"rows_per_s","sized":false,"unit":"rows/s"}],"sizes":[""]},
{"code":"DBS-12","known":false,"metrics":[
{"better":"higher","cells":[[40,40]],"codes":["T426"],"key":"read_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[41,41]],"codes":["T426"],"key":"rows_per_s","sized":false,"unit":"rows/s"}],"sizes":[""]},
{"code":"T512","known":true,"metrics":[
{"better":"lower","cells":[[null,42]],"codes":["T512"],"key":"elapsed_s of D","sized":true,"unit":"s"},
{"better":"higher","cells":[[null,43]],"codes":["T512"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[null,44]],"codes":["T512"],"key":"read_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"lower","cells":[[null,42]],"codes":["T512"],"key":"elapsed_s","sized":true,"unit":"s"}],"sizes":[""]},
{"code":"DBA-12","known":false,"metrics":[
{"better":"lower","cells":[[null,45]],"codes":["T512"],"key":"elapsed_s of D","sized":true,"unit":"s"},
{"better":"higher","cells":[[null,46]],"codes":["T512"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[null,47]],"codes":["T512"],"key":"read_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"lower","cells":[[null,45]],"codes":["T512"],"key":"elapsed_s","sized":true,"unit":"s"}],"sizes":[""]},
{"code":"T611","known":true,"metrics":[
{"better":"higher","cells":[[48,49],[48,49],[48,49]],"codes":["T611"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[48,49],[48,49],[48,49]],"codes":["T611"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[50,51],[50,51],[50,51]],"codes":["T611"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 1","1",""]},
{"code":"T612","known":true,"metrics":[],"sizes":[""]},
{"code":"T616","known":true,"metrics":[
{"better":"higher","cells":[[52,52],[52,52],[52,52]],"codes":["T616"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[53,53],[53,53],[53,53]],"codes":["T616"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[54,54],[54,54],[54,54]],"codes":["T616"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 32","32",""]},
{"code":"T621","known":true,"metrics":[
{"better":"higher","cells":[[55,55],[55,55],[55,55]],"codes":["T621"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[56,56],[56,56],[56,56]],"codes":["T621"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"lower","cells":[[57,57],[57,57],[57,57]],"codes":["T621"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 320","320",""]},
{"code":"T626","known":true,"metrics":[
{"better":"higher","cells":[[58,58]],"codes":["T626"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[59,59]],"codes":["T626"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":[""]},
{"code":"DBX-12","known":true,"metrics":[
{"better":"higher","cells":[[null,60],[null,60],[null,60]],"codes":["DBX-12"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[null,60],[null,60],[null,60]],"codes":["DBX-12"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[null,61],[null,61],[null,61]],"codes":["DBX-12"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 1","1",""]},
{"code":"T711","known":true,"metrics":[
{"better":"higher","cells":[[62,62],[62,62],[62,62]],"codes":["T711"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[62,62],[62,62],[62,62]],"codes":["T711"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[63,63],[63,63],[63,63]],"codes":["T711"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 1","1",""]},
{"code":"T721","known":true,"metrics":[
{"better":"higher","cells":[[64,64],[64,64],[64,64]],"codes":["T721"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[65,65],[65,65],[65,65]],"codes":["T721"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"lower","cells":[[66,66],[66,66],[66,66]],"codes":["T721"],"key":"service_time_s","sized":false,"unit":"s"},
{"better":"higher","cells":[[67,67],[67,67],[67,67]],"codes":["T721"],"key":"write_iops","sized":false,"unit":"IOPS"},
{"better":"higher","cells":[[68,68],[68,68],[68,68]],"codes":["T721"],"key":"redo_writes_per_s","sized":false,"unit":"1/s"}],"sizes":["own 320","320",""]},
{"code":"T811","known":true,"metrics":[
{"better":"higher","cells":[[69,69]],"codes":["T811"],"key":"ops_per_s","sized":false,"unit":"ops/s"},
{"better":"higher","cells":[[70,70]],"codes":["T811"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[71,71]],"codes":["T811"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":[""]},
{"code":"T816","known":true,"metrics":[],"sizes":[""]}],"title":"sqlite 3.50.2 \\u{1b}[2J, Example CPU X7560, dl980","uneven":null});
