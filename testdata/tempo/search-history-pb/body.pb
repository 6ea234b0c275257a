
°
 415a6f863e4ea9a1e0b625c26037dbd9api_server-p02GET /api/cart ±“¡­ş’ƒõ(O2‡
Ê
ba811316a23f6946userdb.UserService/ListSessionsâ‰’¯ş’ƒõ “•¹*
	host.name
node-1*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-800aea5a2-24974*
status
unset*
kind
server*4
service.instance.id
user-db-p02-800aea5a2-24974*
service.name
user-db-p02**
pyroscope.profile.id
ba811316a23f6946

fc2f329c6531ecd2SELECT sessions™Í¼¯ş’ƒõ Æ“„*
	host.name
node-1*
kind
client*4
service.instance.id
user-db-p02-800aea5a2-24974*
status
unset*
service.name
user-db-p02*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-800aea5a2-24974
Á
5e22b761056ebb4fGET /api/cart±“¡­ş’ƒõ É×ç%* 
service.name
api_server-p02*
kind
server*
service.version
1.4.0*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
status
unset*
	host.name
node-1*7
service.instance.id 
api_server-p02-ed694771b-6c22b**
pyroscope.profile.id
5e22b761056ebb4f
§
728e8b7f3889e954userdb.UserService/ListSessions‹”ó®ş’ƒõ öÙê*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
service.version
1.4.0*
status
unset* 
service.name
api_server-p02*
	host.name
node-1*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
kind
client
¶
915586cd1294a2dbPOST /quoteÍ¯ş’ƒõ øŞ"*
service.name
pricing-p02*
	host.name
node-1*4
service.instance.id
pricing-p02-c55e680a0-03c8b*-
k8s.pod.name
pricing-p02-c55e680a0-03c8b*
service.version
1.5.0**
pyroscope.profile.id
915586cd1294a2db*
status
unset*
kind
server:‡
Ê
ba811316a23f6946userdb.UserService/ListSessionsâ‰’¯ş’ƒõ “•¹*
	host.name
node-1*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-800aea5a2-24974*
status
unset*
kind
server*4
service.instance.id
user-db-p02-800aea5a2-24974*
service.name
user-db-p02**
pyroscope.profile.id
ba811316a23f6946

fc2f329c6531ecd2SELECT sessions™Í¼¯ş’ƒõ Æ“„*
	host.name
node-1*
kind
client*4
service.instance.id
user-db-p02-800aea5a2-24974*
status
unset*
service.name
user-db-p02*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-800aea5a2-24974
Á
5e22b761056ebb4fGET /api/cart±“¡­ş’ƒõ É×ç%* 
service.name
api_server-p02*
kind
server*
service.version
1.4.0*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
status
unset*
	host.name
node-1*7
service.instance.id 
api_server-p02-ed694771b-6c22b**
pyroscope.profile.id
5e22b761056ebb4f
§
728e8b7f3889e954userdb.UserService/ListSessions‹”ó®ş’ƒõ öÙê*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
service.version
1.4.0*
status
unset* 
service.name
api_server-p02*
	host.name
node-1*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
kind
client
¶
915586cd1294a2dbPOST /quoteÍ¯ş’ƒõ øŞ"*
service.name
pricing-p02*
	host.name
node-1*4
service.instance.id
pricing-p02-c55e680a0-03c8b*-
k8s.pod.name
pricing-p02-c55e680a0-03c8b*
service.version
1.5.0**
pyroscope.profile.id
915586cd1294a2db*
status
unset*
kind
serverB
api_server-p02B
user-db-p02B
pricing-p02B
catalog-p02
°
 7ea521ef0bc6ed635b1b21dd4e939cc5api_server-p02GET /api/cart ©ıˆÆõ’ƒõ(x2‡
Á
d2997d0e07e4dba7GET /api/cart©ıˆÆõ’ƒõ «Õ³9*
kind
server* 
service.name
api_server-p02*7
service.instance.id 
api_server-p02-ed694771b-6c22b*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
status
unset*
	host.name
node-1*
service.version
1.4.0**
pyroscope.profile.id
d2997d0e07e4dba7
§
2acda2cd8e9d5f69userdb.UserService/ListSessionsİØÙÇõ’ƒõ ±²û*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
service.version
1.4.0*
status
unset*
kind
client* 
service.name
api_server-p02*
	host.name
node-1*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b
Ê
711b989f9ca1d401userdb.UserService/ListSessionsõÑğÇõ’ƒõ óÍ*
kind
server*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac**
pyroscope.profile.id
711b989f9ca1d401*
status
unset*
service.name
user-db-p02*
	host.name
node-2*
service.version
1.4.0

350a22621b5e7b61SELECT sessions“³•Èõ’ƒõ Íïî*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*
service.name
user-db-p02*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
	host.name
node-2*
status
unset*
kind
client
¶
16100922d41dd0e6POST /quoteãÍôÇõ’ƒõ ¾ùÌ5*
	host.name
node-2*4
service.instance.id
pricing-p02-a28756b0d-941d3*
kind
server*
service.name
pricing-p02**
pyroscope.profile.id
16100922d41dd0e6*
status
unset*
service.version
1.5.0*-
k8s.pod.name
pricing-p02-a28756b0d-941d3:‡
Á
d2997d0e07e4dba7GET /api/cart©ıˆÆõ’ƒõ «Õ³9*
kind
server* 
service.name
api_server-p02*7
service.instance.id 
api_server-p02-ed694771b-6c22b*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
status
unset*
	host.name
node-1*
service.version
1.4.0**
pyroscope.profile.id
d2997d0e07e4dba7
§
2acda2cd8e9d5f69userdb.UserService/ListSessionsİØÙÇõ’ƒõ ±²û*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
service.version
1.4.0*
status
unset*
kind
client* 
service.name
api_server-p02*
	host.name
node-1*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b
Ê
711b989f9ca1d401userdb.UserService/ListSessionsõÑğÇõ’ƒõ óÍ*
kind
server*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac**
pyroscope.profile.id
711b989f9ca1d401*
status
unset*
service.name
user-db-p02*
	host.name
node-2*
service.version
1.4.0

350a22621b5e7b61SELECT sessions“³•Èõ’ƒõ Íïî*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*
service.name
user-db-p02*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
	host.name
node-2*
status
unset*
kind
client
¶
16100922d41dd0e6POST /quoteãÍôÇõ’ƒõ ¾ùÌ5*
	host.name
node-2*4
service.instance.id
pricing-p02-a28756b0d-941d3*
kind
server*
service.name
pricing-p02**
pyroscope.profile.id
16100922d41dd0e6*
status
unset*
service.version
1.5.0*-
k8s.pod.name
pricing-p02-a28756b0d-941d3B
pricing-p02B
catalog-p02B
api_server-p02B
user-db-p02
°
 ffd41c769e92e4e8643973a7ea163d85api_server-p02GET /api/cart ÿÉêâ’ƒõ(T2‡
Á
eee9451188a9720bGET /api/cartÿÉêâ’ƒõ ±×³(*
service.version
1.4.0*
kind
server*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
	host.name
node-1*7
service.instance.id 
api_server-p02-ed694771b-6c22b**
pyroscope.profile.id
eee9451188a9720b*
status
unset* 
service.name
api_server-p02
§
61f66ec47633ea44userdb.UserService/ListSessions¬ìâ’ƒõ ×”ÿ*
kind
client*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
service.version
1.4.0*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b* 
service.name
api_server-p02*
status
unset*
	host.name
node-1
Ê
fae2556855277a23userdb.UserService/ListSessionsšÂìâ’ƒõ »”Ø*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset**
pyroscope.profile.id
fae2556855277a23*
	host.name
node-2*
kind
server*
service.name
user-db-p02

3041bb93b125916eSELECT sessionsí‚ßìâ’ƒõ ³ø©*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*
status
unset*
service.name
user-db-p02*
	host.name
node-2*
kind
client
¶
263bac41526cbb68POST /quote¿½Áìâ’ƒõ ­÷å$*4
service.instance.id
pricing-p02-a28756b0d-941d3*-
k8s.pod.name
pricing-p02-a28756b0d-941d3*
service.name
pricing-p02*
service.version
1.5.0*
	host.name
node-2**
pyroscope.profile.id
263bac41526cbb68*
status
unset*
kind
server:‡
Á
eee9451188a9720bGET /api/cartÿÉêâ’ƒõ ±×³(*
service.version
1.4.0*
kind
server*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
	host.name
node-1*7
service.instance.id 
api_server-p02-ed694771b-6c22b**
pyroscope.profile.id
eee9451188a9720b*
status
unset* 
service.name
api_server-p02
§
61f66ec47633ea44userdb.UserService/ListSessions¬ìâ’ƒõ ×”ÿ*
kind
client*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
service.version
1.4.0*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b* 
service.name
api_server-p02*
status
unset*
	host.name
node-1
Ê
fae2556855277a23userdb.UserService/ListSessionsšÂìâ’ƒõ »”Ø*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset**
pyroscope.profile.id
fae2556855277a23*
	host.name
node-2*
kind
server*
service.name
user-db-p02

3041bb93b125916eSELECT sessionsí‚ßìâ’ƒõ ³ø©*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*
status
unset*
service.name
user-db-p02*
	host.name
node-2*
kind
client
¶
263bac41526cbb68POST /quote¿½Áìâ’ƒõ ­÷å$*4
service.instance.id
pricing-p02-a28756b0d-941d3*-
k8s.pod.name
pricing-p02-a28756b0d-941d3*
service.name
pricing-p02*
service.version
1.5.0*
	host.name
node-2**
pyroscope.profile.id
263bac41526cbb68*
status
unset*
kind
serverB
api_server-p02B
user-db-p02B
pricing-p02B
catalog-p02
°
 c4746d9d72ea77f83322c7717846394fapi_server-p02GET /api/cart ö¤ãƒÅ’ƒõ(O2‡
Á
9fb79ab6627751baGET /api/cartö¤ãƒÅ’ƒõ îÖŒ&*
service.version
1.4.0*
status
unset*
kind
server* 
service.name
api_server-p02*7
service.instance.id 
api_server-p02-ed694771b-6c22b*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
	host.name
node-1**
pyroscope.profile.id
9fb79ab6627751ba
§
79e2892203a35edcuserdb.UserService/ListSessions¤¦é…Å’ƒõ – ë*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
kind
client* 
service.name
api_server-p02*
	host.name
node-1*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
status
unset*
service.version
1.4.0
Ê
f6b1230ea127e6dbuserdb.UserService/ListSessionsí«†Å’ƒõ §Ã¿**
pyroscope.profile.id
f6b1230ea127e6db*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset*
kind
server*
service.name
user-db-p02*
	host.name
node-2*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0

3ed0f2d203c3aeadSELECT sessionsáè¨†Å’ƒõ ¦Áÿ*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
service.name
user-db-p02*
service.version
1.4.0*
status
unset*
kind
client*
	host.name
node-2
¶
87d95bb65cdc1cdcPOST /quote“£‚†Å’ƒõ ¬ˆÕ!*
service.version
1.5.0**
pyroscope.profile.id
87d95bb65cdc1cdc*
status
unset*4
service.instance.id
pricing-p02-c55e680a0-03c8b*
kind
server*
	host.name
node-1*-
k8s.pod.name
pricing-p02-c55e680a0-03c8b*
service.name
pricing-p02:‡
Á
9fb79ab6627751baGET /api/cartö¤ãƒÅ’ƒõ îÖŒ&*
service.version
1.4.0*
status
unset*
kind
server* 
service.name
api_server-p02*7
service.instance.id 
api_server-p02-ed694771b-6c22b*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
	host.name
node-1**
pyroscope.profile.id
9fb79ab6627751ba
§
79e2892203a35edcuserdb.UserService/ListSessions¤¦é…Å’ƒõ – ë*7
service.instance.id 
api_server-p02-ed694771b-6c22b*
kind
client* 
service.name
api_server-p02*
	host.name
node-1*0
k8s.pod.name 
api_server-p02-ed694771b-6c22b*
status
unset*
service.version
1.4.0
Ê
f6b1230ea127e6dbuserdb.UserService/ListSessionsí«†Å’ƒõ §Ã¿**
pyroscope.profile.id
f6b1230ea127e6db*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset*
kind
server*
service.name
user-db-p02*
	host.name
node-2*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0

3ed0f2d203c3aeadSELECT sessionsáè¨†Å’ƒõ ¦Áÿ*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
service.name
user-db-p02*
service.version
1.4.0*
status
unset*
kind
client*
	host.name
node-2
¶
87d95bb65cdc1cdcPOST /quote“£‚†Å’ƒõ ¬ˆÕ!*
service.version
1.5.0**
pyroscope.profile.id
87d95bb65cdc1cdc*
status
unset*4
service.instance.id
pricing-p02-c55e680a0-03c8b*
kind
server*
	host.name
node-1*-
k8s.pod.name
pricing-p02-c55e680a0-03c8b*
service.name
pricing-p02B
api_server-p02B
user-db-p02B
pricing-p02B
catalog-p02
°
 340c1077f9518f1ce67e2fa67deffa20api_server-p02GET /api/cart ú»¯¹À’ƒõ(b2‡
Á
b7f847b4a23efb0aGET /api/cartú»¯¹À’ƒõ å¨Œ/*
	host.name
node-2*7
service.instance.id 
api_server-p02-54a549ba1-3f42b*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
kind
server**
pyroscope.profile.id
b7f847b4a23efb0a* 
service.name
api_server-p02*
status
unset*
service.version
1.4.0
§
704b14b8a7913d10userdb.UserService/ListSessions˜Ë“»À’ƒõ ’àİ
*
status
unset*
	host.name
node-2*
kind
client* 
service.name
api_server-p02*7
service.instance.id 
api_server-p02-54a549ba1-3f42b*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
service.version
1.4.0
Ê
739051c4f749ae76userdb.UserService/ListSessions™¬¥»À’ƒõ „×Â
*
service.name
user-db-p02**
pyroscope.profile.id
739051c4f749ae76*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
kind
server*
	host.name
node-2*
status
unset

be7aa7d3ea8c259bSELECT sessions«ÌÎ»À’ƒõ §§ù*
service.name
user-db-p02*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
kind
client*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
	host.name
node-2*
status
unset
¶
5716bfb8aef5586bPOST /quoteÄı¼»À’ƒõ ÄëÍ**
service.name
pricing-p02*
	host.name
node-1*
service.version
1.5.0*-
k8s.pod.name
pricing-p02-c55e680a0-03c8b*
status
unset*
kind
server*4
service.instance.id
pricing-p02-c55e680a0-03c8b**
pyroscope.profile.id
5716bfb8aef5586b:‡
Á
b7f847b4a23efb0aGET /api/cartú»¯¹À’ƒõ å¨Œ/*
	host.name
node-2*7
service.instance.id 
api_server-p02-54a549ba1-3f42b*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
kind
server**
pyroscope.profile.id
b7f847b4a23efb0a* 
service.name
api_server-p02*
status
unset*
service.version
1.4.0
§
704b14b8a7913d10userdb.UserService/ListSessions˜Ë“»À’ƒõ ’àİ
*
status
unset*
	host.name
node-2*
kind
client* 
service.name
api_server-p02*7
service.instance.id 
api_server-p02-54a549ba1-3f42b*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
service.version
1.4.0
Ê
739051c4f749ae76userdb.UserService/ListSessions™¬¥»À’ƒõ „×Â
*
service.name
user-db-p02**
pyroscope.profile.id
739051c4f749ae76*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
kind
server*
	host.name
node-2*
status
unset

be7aa7d3ea8c259bSELECT sessions«ÌÎ»À’ƒõ §§ù*
service.name
user-db-p02*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
kind
client*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
	host.name
node-2*
status
unset
¶
5716bfb8aef5586bPOST /quoteÄı¼»À’ƒõ ÄëÍ**
service.name
pricing-p02*
	host.name
node-1*
service.version
1.5.0*-
k8s.pod.name
pricing-p02-c55e680a0-03c8b*
status
unset*
kind
server*4
service.instance.id
pricing-p02-c55e680a0-03c8b**
pyroscope.profile.id
5716bfb8aef5586bB
pricing-p02B
catalog-p02B
api_server-p02B
user-db-p02
±
 baf8db1417b330969a0d03326f85452dapi_server-p02GET /api/cart Ï©ö³’ƒõ(š2‡
Á
7f8e15d3f6c6034fGET /api/cartÏ©ö³’ƒõ ‰ûñI*7
service.instance.id 
api_server-p02-54a549ba1-3f42b*
service.version
1.4.0*
status
unset* 
service.name
api_server-p02*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
kind
server*
	host.name
node-2**
pyroscope.profile.id
7f8e15d3f6c6034f
§
aa723c88ad484fcduserdb.UserService/ListSessionsáË–ø³’ƒõ ûöş	* 
service.name
api_server-p02*
	host.name
node-2*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
service.version
1.4.0*
status
unset*
kind
client*7
service.instance.id 
api_server-p02-54a549ba1-3f42b
Ê
c9d566820296f932userdb.UserService/ListSessionsù‚¨ø³’ƒõ €çØ	*
service.name
user-db-p02*
	host.name
node-2*
kind
server*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset**
pyroscope.profile.id
c9d566820296f932

c381f3a6e4f87611SELECT sessionsØôÏø³’ƒõ µû÷*
	host.name
node-2*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*
kind
client*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset*
service.name
user-db-p02
¶
d00c15803910b129POST /quote×ìµø³’ƒõ ¤¡¯F*
service.version
1.5.0**
pyroscope.profile.id
d00c15803910b129*4
service.instance.id
pricing-p02-a28756b0d-941d3*
kind
server*
	host.name
node-2*
status
unset*
service.name
pricing-p02*-
k8s.pod.name
pricing-p02-a28756b0d-941d3:‡
Á
7f8e15d3f6c6034fGET /api/cartÏ©ö³’ƒõ ‰ûñI*7
service.instance.id 
api_server-p02-54a549ba1-3f42b*
service.version
1.4.0*
status
unset* 
service.name
api_server-p02*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
kind
server*
	host.name
node-2**
pyroscope.profile.id
7f8e15d3f6c6034f
§
aa723c88ad484fcduserdb.UserService/ListSessionsáË–ø³’ƒõ ûöş	* 
service.name
api_server-p02*
	host.name
node-2*0
k8s.pod.name 
api_server-p02-54a549ba1-3f42b*
service.version
1.4.0*
status
unset*
kind
client*7
service.instance.id 
api_server-p02-54a549ba1-3f42b
Ê
c9d566820296f932userdb.UserService/ListSessionsù‚¨ø³’ƒõ €çØ	*
service.name
user-db-p02*
	host.name
node-2*
kind
server*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset**
pyroscope.profile.id
c9d566820296f932

c381f3a6e4f87611SELECT sessionsØôÏø³’ƒõ µû÷*
	host.name
node-2*4
service.instance.id
user-db-p02-a5b39c291-ac8ac*
service.version
1.4.0*
kind
client*-
k8s.pod.name
user-db-p02-a5b39c291-ac8ac*
status
unset*
service.name
user-db-p02
¶
d00c15803910b129POST /quote×ìµø³’ƒõ ¤¡¯F*
service.version
1.5.0**
pyroscope.profile.id
d00c15803910b129*4
service.instance.id
pricing-p02-a28756b0d-941d3*
kind
server*
	host.name
node-2*
status
unset*
service.name
pricing-p02*-
k8s.pod.name
pricing-p02-a28756b0d-941d3B
api_server-p02B
user-db-p02B
pricing-p02B
catalog-p02	×È© (