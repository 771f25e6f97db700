gallery(
{"builds":[],"cells":[
{"about":"at 1x1x1; measured as DBL-11","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"&","printed":null,"test":"DBL-11","text":"5,384","value":5384.5},
{"about":"at 1x64x1; measured as DBL-11","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"&","printed":null,"test":"DBL-11","text":"96,970","value":96970.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"&","printed":null,"test":"DBL-11","text":"9,259","value":9259.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"&","printed":null,"test":"DBL-11","text":"9,058","value":9058.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"&","printed":null,"test":"DBL-11","text":"8,681","value":8681.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"&","printed":null,"test":"DBL-11","text":"8,065","value":8065.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"&","printed":null,"test":"DBL-11","text":"7,102","value":7102.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"&","printed":null,"test":"DBL-11","text":"6,720","value":6720.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"&","printed":null,"test":"DBL-11","text":"4,006","value":4006.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"&","printed":null,"test":"DBL-11","text":"2,692","value":2692.0},
{"about":"at 1x64x1; measured as DBL-11","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"&","printed":null,"test":"DBL-11","text":"48,490","value":48490.0},
{"about":"at 1x1x1; measured as DBL-11; rounding: 100 x 93 is 9300 rows/s against 9259 printed; tx/s was rounded to whole numbers first","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"?&","printed":null,"test":"DBL-11","text":"93.00","value":93.0},
{"about":"at 1x1x1; measured as DBL-11; rounding: 50 x 181 is 9050 rows/s against 9058 printed; tx/s was rounded to whole numbers first","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"?&","printed":null,"test":"DBL-11","text":"181.0","value":181.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"&","printed":null,"test":"DBL-11","text":"434.0","value":434.0},
{"about":"at 1x1x1; measured as DBL-11; rounding: 10 x 806 is 8060 rows/s against 8065 printed; tx/s was rounded to whole numbers first","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"?&","printed":null,"test":"DBL-11","text":"806.0","value":806.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"&","printed":null,"test":"DBL-11","text":"1,420","value":1420.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"&","printed":null,"test":"DBL-11","text":"1,680","value":1680.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"&","printed":null,"test":"DBL-11","text":"7.000","value":7.0},
{"about":"at 1x64x1; measured as DBL-11","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"&","printed":null,"test":"DBL-11","text":"128.0","value":128.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"&","printed":null,"test":"DBL-11","text":"9.000","value":9.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"&","printed":null,"test":"DBL-11","text":"9.000","value":9.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"&","printed":null,"test":"DBL-11","text":"9.000","value":9.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"&","printed":null,"test":"DBL-11","text":"9.000","value":9.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"&","printed":null,"test":"DBL-11","text":"8.000","value":8.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"&","printed":null,"test":"DBL-11","text":"8.000","value":8.0},
{"about":"at 1x1x1; measured as DBL-11","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"&","printed":null,"test":"DBL-11","text":"7.000","value":7.0},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"5,384","value":5384.5},
{"about":"at 1x64x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"96,970","value":96970.0},
{"about":"at 1x1x1","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"","printed":null,"test":null,"text":"9,259","value":9259.0},
{"about":"at 1x1x1","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"","printed":null,"test":null,"text":"9,058","value":9058.0},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"8,681","value":8681.0},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"8,065","value":8065.0},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"7,102","value":7102.0},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"6,720","value":6720.0},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"4,006","value":4006.0},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"2,692","value":2692.0},
{"about":"at 1x64x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"48,490","value":48490.0},
{"about":"at 1x1x1; rounding: 100 x 93 is 9300 rows/s against 9259 printed; tx/s was rounded to whole numbers first","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"?","printed":null,"test":null,"text":"93.00","value":93.0},
{"about":"at 1x1x1; rounding: 50 x 181 is 9050 rows/s against 9058 printed; tx/s was rounded to whole numbers first","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"?","printed":null,"test":null,"text":"181.0","value":181.0},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"434.0","value":434.0},
{"about":"at 1x1x1; rounding: 10 x 806 is 8060 rows/s against 8065 printed; tx/s was rounded to whole numbers first","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"?","printed":null,"test":null,"text":"806.0","value":806.0},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"1,420","value":1420.0},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"1,680","value":1680.0},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"3.702E-04","value":0.0003702},
{"about":"at 1x4x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"3.673E-04","value":0.0003673},
{"about":"at 1x1x1","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"","printed":null,"test":null,"text":"0.01073","value":0.01073},
{"about":"at 1x1x1","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"","printed":null,"test":null,"text":"0.005476","value":0.005476},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"0.002292","value":0.002292},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"0.001239","value":0.001239},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"7.018E-04","value":0.0007018},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"5.928E-04","value":0.0005928},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"2.493E-04","value":0.0002493},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"7.000","value":7.0},
{"about":"at 1x64x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"128.0","value":128.0},
{"about":"at 1x1x1","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"","printed":null,"test":null,"text":"9.000","value":9.0},
{"about":"at 1x1x1","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"","printed":null,"test":null,"text":"9.000","value":9.0},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"9.000","value":9.0},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"9.000","value":9.0},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"8.000","value":8.0},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"8.000","value":8.0},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"7.000","value":7.0},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"2,692","value":2692.5},
{"about":"at 1x8x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"9,224","value":9224.0},
{"about":"at 1x1x1","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"","printed":null,"test":null,"text":"95.00","value":95.0},
{"about":"at 1x1x1","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"","printed":null,"test":null,"text":"184.0","value":184.0},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"439.0","value":439.0},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"810.0","value":810.0},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"1,424","value":1424.0},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"1,683","value":1683.0},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"4,008","value":4008.0},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"?","printed":null,"test":null,"text":"1.500E-05","value":0.000014999999999999999},
{"about":"at 1x4x1; unit: column is labelled ms; in ms the log writer would be busy for at least 45.7 s in every second at all points, so the values can only be us","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"?","printed":null,"test":null,"text":"1.500E-05","value":0.000014999999999999999},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"?","printed":null,"test":null,"text":"2.900E-05","value":0.000029},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"?","printed":null,"test":null,"text":"2.300E-05","value":0.000023},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"?","printed":null,"test":null,"text":"2.400E-05","value":0.000024},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"?","printed":null,"test":null,"text":"1.700E-05","value":0.000017},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"?","printed":null,"test":null,"text":"1.400E-05","value":0.000014},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"?","printed":null,"test":null,"text":"1.100E-05","value":0.000011},
{"about":"at 1x1x1; unit: column is labelled ms; in ms the log writer would be busy for at least 2.8 s in every second at all points, so the values can only be us","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"?","printed":null,"test":null,"text":"1.500E-05","value":0.000014999999999999999},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"0.005466","value":0.005466430691938799},
{"about":"at 1x64x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"0.2121","value":0.21212121212121213},
{"about":"at 1x1x1","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"","printed":null,"test":null,"text":"0.007407","value":0.007407407407407408},
{"about":"at 1x1x1","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"","printed":null,"test":null,"text":"0.007246","value":0.007246376811594203},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"0.01389","value":0.013888888888888888},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"0.006452","value":0.0064516129032258064},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"0.005682","value":0.005681818181818182},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"0.005376","value":0.005376344086021506},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"0.02244","value":0.022435897435897436},
{"about":"at 1x1x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"7.150E-05","value":0.0000715},
{"about":"at 1x2x1","alike":["2",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["2"]},"marks":"","printed":null,"test":null,"text":"2.600E-05","value":0.000026},
{"about":"at 1x1x1","alike":["100",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["100"]},"marks":"","printed":null,"test":null,"text":"1.900E-04","value":0.00018999999999999998},
{"about":"at 1x1x1","alike":["50",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["50"]},"marks":"","printed":null,"test":null,"text":"1.780E-04","value":0.000178},
{"about":"at 1x1x1","alike":["20",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["20"]},"marks":"","printed":null,"test":null,"text":"8.600E-05","value":0.00008599999999999999},
{"about":"at 1x1x1","alike":["10",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["10"]},"marks":"","printed":null,"test":null,"text":"1.370E-04","value":0.000137},
{"about":"at 1x1x1","alike":["5",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["5"]},"marks":"","printed":null,"test":null,"text":"1.870E-04","value":0.000187},
{"about":"at 1x1x1","alike":["4",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["4"]},"marks":"","printed":null,"test":null,"text":"7.500E-05","value":0.000075},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"1.400E-05","value":0.000014},
{"about":"at 1x1x1","alike":[null,null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"74,420","value":74420.0},
{"about":"at 1x32x1","alike":[null,null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"1,148,000","value":1148000.0},
{"about":"at 1x1x1","alike":[null,null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"39.00","value":39.0},
{"about":"at 1x32x1","alike":[null,null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"601.0","value":601.0},
{"about":"at 1x1x1","alike":[null,null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"126.0","value":126.0},
{"about":"at 1x32x1","alike":[null,null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"]},"marks":"","printed":null,"test":null,"text":"2,063","value":2063.0},
{"about":"at 1x1x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"5,320","value":5320.0},
{"about":"at 1x64x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"181,100","value":181100.0},
{"about":"at 1x1x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"1.871E-04","value":0.0001871},
{"about":"at 1x4x1","alike":["1",null,null],"apart":false,"bar":null,"equivalent":false,"facts":
{"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"1.637E-04","value":0.0001637},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"2,138","value":2138.0},
{"about":"at 1x64x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"65,050","value":65050.0},
{"about":"at 1x64x1; inconsistent: with 1 row per transaction rows/s is 0.34 % below tx/s; tx x elapsed / jobs is constant, so some updates found no row","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"?","printed":null,"test":null,"text":"64,830","value":64830.0},
{"about":"at 1x1x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"4.646E-04","value":0.0004646},
{"about":"at 1x8x1","alike":["1",null,"as the engine's default"],"apart":false,"bar":null,"equivalent":false,"facts":
{"commits":["engine_default"],"drives":["server"],"mappings":["native"],"transactions":["1"]},"marks":"","printed":null,"test":null,"text":"4.044E-04","value":0.0004044}],"curves":[],"facts":
{"engines":"oracle","floor":"has none","published":"Benchware Performance Suite 8.4 (build 130830)"},"firmware":[],"from":"Source: Performance Baseline of Hitachi Data Systems UCP for Oracle, Part IV: Database Performance (Benchware, August 2013)","key":"platform-hds_ucp_flash_2013","kind":"oracle Benchware Performance Suite 8.4 (build 130830)","notice":null,"paces":{},"parameters":
[["archiving","yes"]
,["block_kib","8"]
,["data_guard","no"]
,["default_pool_gib","16"]
,["flashback","no"]
,["force_logging","yes"]
,["keep_pool_gib","16"]
,["partitioning","yes"]
,["pga_target_gib","16"]
,["rac","no"]
,["recycle_pool_gib","4"]
,["redo_log_gib","8"]
,["redo_log_groups","4"]
,["redo_log_members","1"]
,["sga_target_gib","48"]],"settings":
[["engine","oracle"]
,["database version","11.2.0.3"]
,["benchmark","Benchware Performance Suite 8.4 (build 130830)"]
,["dbdyno version",null]
,["size",null]
,["seed",null]
,["duration",null]
,["commits","as the engine's default"]
,["year","2013"]
,["product",null]
,["processor",null]
,["sockets",null]
,["cores",null]
,["hardware threads",null]
,["may be used",null]
,["clock",null]
,["governor",null]
,["memory",null]
,["huge pages",null]
,["transparent huge pages",null]
,["operating system",null]
,["kernel",null]
,["virtualisation",null]
,["storage","flash inside the server"]
,["driver hosts",null]
,["before each point",null]],"size":"","tests":[
{"code":"T311","known":false,"metrics":[
{"better":"higher","cells":[[0,1],[2,2],[3,3],[4,4],[5,5],[6,6],[7,7],[0,1],[8,8],[0,1]],"codes":["DBL-11"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[9,10],[11,11],[12,12],[13,13],[14,14],[15,15],[16,16],[9,10],[8,8],[9,10]],"codes":["DBL-11"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[17,18],[19,19],[20,20],[21,21],[22,22],[23,23],[24,24],[17,18],[25,25],[17,18]],"codes":["DBL-11"],"key":"redo_mib_per_s","sized":false,"unit":"MiB/s"}],"sizes":["own 2","100","50","20","10","5","4","2","1",""]},
{"code":"DBL-11","known":true,"metrics":[
{"better":"higher","cells":[[26,27],[28,28],[29,29],[30,30],[31,31],[32,32],[33,33],[26,27],[34,34],[26,27]],"codes":["DBL-11"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[35,36],[37,37],[38,38],[39,39],[40,40],[41,41],[42,42],[35,36],[34,34],[35,36]],"codes":["DBL-11"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"lower","cells":[[43,44],[45,45],[46,46],[47,47],[48,48],[49,49],[50,50],[43,44],[51,51],[43,44]],"codes":["DBL-11"],"key":"service_time_s","sized":false,"unit":"s"},
{"better":"higher","cells":[[52,53],[54,54],[55,55],[56,56],[57,57],[58,58],[59,59],[52,53],[60,60],[52,53]],"codes":["DBL-11"],"key":"redo_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[61,62],[63,63],[64,64],[65,65],[66,66],[67,67],[68,68],[61,62],[69,69],[61,62]],"codes":["DBL-11"],"key":"redo_writes_per_s","sized":false,"unit":"1/s"},
{"better":"lower","cells":[[70,71],[72,72],[73,73],[74,74],[75,75],[76,76],[77,77],[70,71],[78,78],[70,71]],"codes":["DBL-11"],"key":"redo_write_service_time_s","sized":false,"unit":"s"},
{"better":"higher","cells":[[79,80],[81,81],[82,82],[83,83],[84,84],[85,85],[86,86],[79,80],[87,87],[79,80]],"codes":["DBL-11"],"key":"redo_sync_writes_per_s","sized":false,"unit":"1/s"},
{"better":"lower","cells":[[88,89],[90,90],[91,91],[92,92],[93,93],[94,94],[95,95],[88,89],[96,96],[88,89]],"codes":["DBL-11"],"key":"redo_sync_service_time_s","sized":false,"unit":"s"}],"sizes":["own 2","100","50","20","10","5","4","2","1",""]},
{"code":"DBL-21","known":true,"metrics":[
{"better":"higher","cells":[[97,98]],"codes":["DBL-21"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"higher","cells":[[99,100]],"codes":["DBL-21"],"key":"redo_mib_per_s","sized":false,"unit":"MiB/s"},
{"better":"higher","cells":[[101,102]],"codes":["DBL-21"],"key":"write_mib_per_s","sized":false,"unit":"MiB/s"}],"sizes":[""]},
{"code":"DBX-12","known":true,"metrics":[
{"better":"higher","cells":[[103,104],[103,104],[103,104]],"codes":["DBX-12"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[103,104],[103,104],[103,104]],"codes":["DBX-12"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[105,106],[105,106],[105,106]],"codes":["DBX-12"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 1","1",""]},
{"code":"DBX-22","known":true,"metrics":[
{"better":"higher","cells":[[107,108],[107,108],[107,108]],"codes":["DBX-22"],"key":"tx_per_s","sized":false,"unit":"tx/s"},
{"better":"higher","cells":[[107,109],[107,109],[107,109]],"codes":["DBX-22"],"key":"rows_per_s","sized":false,"unit":"rows/s"},
{"better":"lower","cells":[[110,111],[110,111],[110,111]],"codes":["DBX-22"],"key":"service_time_s","sized":false,"unit":"s"}],"sizes":["own 1","1",""]}],"title":"Hitachi Data Systems UCP for Oracle with server-internal flash","uneven":null});
