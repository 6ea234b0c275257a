/* SPDX-License-Identifier: Apache-2.0 */
#include "altered_documents.h"

#define ID "00112233445566778899aabbccddeeff"
#define T0 "1700000000000000000"

/* One span with everything, and one below it. */
#define OTLP_GROUPS                                                            \
	"[{'resource':{'attributes':[{'key':'service.name','value':"           \
	"{'stringValue':'shop'}},{'key':'host.name','value':"                  \
	"{'stringValue':'h1'}}],'droppedAttributesCount':0},"                  \
	"'scopeSpans':[{'scope':{'name':'lib'},'spans':["                      \
	"{'traceId':'" ID "','spanId':'00000000000000a1','name':'GET /cart',"  \
	"'kind':2,'startTimeUnixNano':'" T0 "','endTimeUnixNano':"             \
	"'1700000000250000000','attributes':["                                 \
	"{'key':'pyroscope.profile.id','value':{'stringValue':"                \
	"'00000000000000a1'}},"                                                \
	"{'key':'http.route','value':{'stringValue':'/cart'}},"                \
	"{'key':'http.status_code','value':{'intValue':'200'}},"               \
	"{'key':'app.flag','value':{'boolValue':true}},"                       \
	"{'key':'app.share','value':{'doubleValue':0.5}},"                     \
	"{'key':'app.raw','value':{'bytesValue':'AAEC'}},"                     \
	"{'key':'app.none','value':{}}],"                                      \
	"'events':[{'timeUnixNano':'1700000000100000000','name':'retry',"      \
	"'attributes':[{'key':'n','value':{'intValue':'3'}}]}],"               \
	"'links':[{'traceId':'ffeeddccbbaa99887766554433221100',"              \
	"'spanId':'00000000000000b7','attributes':[{'key':'why','value':"      \
	"{'stringValue':'batch'}}]}],"                                         \
	"'status':{'code':2,'message':'late'}},"                               \
	"{'traceId':'" ID "','spanId':'00000000000000a2','parentSpanId':"      \
	"'00000000000000a1','name':'SELECT','kind':'SPAN_KIND_CLIENT',"        \
	"'startTimeUnixNano':1700000000010000000,"                             \
	"'endTimeUnixNano':1700000000200000000,"                               \
	"'status':{'code':'STATUS_CODE_OK'}}]}]}]"

/* Lists and maps in values. */
#define OTLP_NESTED                                                            \
	"{'resourceSpans':[{'scopeSpans':[{'spans':[{'traceId':'" ID "',"      \
	"'spanId':'00000000000000a1','startTimeUnixNano':'" T0 "',"            \
	"'attributes':[{'key':'app.list','value':{'arrayValue':{'values':["    \
	"{'stringValue':'one'},{'intValue':2},{'arrayValue':{'values':["       \
	"{'boolValue':false}]}},{}]}}},"                                       \
	"{'key':'app.map','value':{'kvlistValue':{'values':["                  \
	"{'key':'k','value':{'doubleValue':1.25}},{'key':'l','value':"         \
	"{'kvlistValue':{'values':[]}}}]}}},"                                  \
	"{'key':'app.plain','value':'text'},"                                  \
	"{'key':'app.number','value':2.5}]}]}]}]}"

#define JAEGER                                                                 \
	"{'data':[{'traceID':'" ID "','spans':["                               \
	"{'traceID':'" ID "','spanID':'00000000000000a1','flags':1,"           \
	"'operationName':'GET /cart','references':[],"                         \
	"'startTime':1700000000000000,'duration':250000,'tags':["              \
	"{'key':'span.kind','type':'string','value':'server'},"                \
	"{'key':'error','type':'bool','value':true},"                          \
	"{'key':'http.status_code','type':'int64','value':500},"               \
	"{'key':'app.share','type':'float64','value':0.5},"                    \
	"{'key':'app.raw','type':'binary','value':'AAEC'},"                    \
	"{'key':'otel.status_code','type':'string','value':'ERROR'},"          \
	"{'key':'otel.status_description','type':'string','value':'late'}],"   \
	"'logs':[{'timestamp':1700000000100000,'fields':["                     \
	"{'key':'event','type':'string','value':'retry'},"                     \
	"{'key':'n','type':'int64','value':3}]}],"                             \
	"'processID':'p1','warnings':['clock skew','more']},"                  \
	"{'traceID':'" ID "','spanID':'00000000000000a2','parentSpanID':"      \
	"'00000000000000a1','operationName':'SELECT','references':["           \
	"{'refType':'CHILD_OF','traceID':'" ID "','spanID':"                   \
	"'00000000000000a1'},{'refType':'FOLLOWS_FROM','traceID':"             \
	"'ffeeddccbbaa99887766554433221100','spanID':'00000000000000b7'}],"    \
	"'startTime':1700000000010000,'duration':190000,'tags':["              \
	"{'key':'span.kind','type':'string','value':'client'}],'logs':[],"     \
	"'processID':'p1'}],"                                                  \
	"'processes':{'p1':{'serviceName':'shop','tags':["                     \
	"{'key':'hostname','type':'string','value':'h1'},"                     \
	"{'key':'ip','type':'string','value':'10.0.0.1'}]}}}],"                \
	"'total':1,'limit':0,'offset':0,'errors':null}"

#define ZIPKIN                                                                 \
	"[{'traceId':'" ID "','id':'00000000000000a1','name':'get /cart',"     \
	"'kind':'SERVER','timestamp':1700000000000000,'duration':250000,"      \
	"'localEndpoint':{'serviceName':'shop','ipv4':'10.0.0.1','port':80},"  \
	"'tags':{'http.method':'GET','error':'late','otel.status_code':"       \
	"'ERROR','otel.status_description':'too late'},"                       \
	"'annotations':[{'timestamp':1700000000100000,'value':'retry'}]},"     \
	"{'traceId':'" ID "','parentId':'00000000000000a1','id':"              \
	"'00000000000000a2','name':'select','kind':'CLIENT',"                  \
	"'timestamp':1700000000010000,'duration':190000,"                      \
	"'localEndpoint':{'serviceName':'shop','ipv6':'::1'},"                 \
	"'remoteEndpoint':{'serviceName':'db','ipv4':'10.0.0.2',"              \
	"'port':5432},'shared':false}]"

#define DATADOG                                                                \
	"[[{'trace_id':1838263505978427528,'span_id':161,'parent_id':0,"       \
	"'service':'shop','name':'flask.request','resource':'GET /cart',"      \
	"'type':'web','start':1700000000000000000,'duration':250000000,"       \
	"'error':1,'meta':{'env':'prod','version':'1.4','span.kind':"          \
	"'server','http.method':'GET','error.message':'late',"                 \
	"'_dd.p.tid':'6921a3f000000000','_dd.hostname':'h1'},"                 \
	"'metrics':{'process_id':41,'_sampling_priority_v1':1},"               \
	"'span_links':[{'trace_id':7,'trace_id_high':8,'span_id':183}]},"      \
	"{'trace_id':1838263505978427528,'span_id':162,'parent_id':161,"       \
	"'service':'shop-db','name':'postgres.query','resource':"              \
	"'SELECT ?','type':'sql','start':1700000000010000000,"                 \
	"'duration':190000000,'error':0,'hostname':'h2','meta':"               \
	"{'_dd.base_service':'shop','out.host':'db'},'metrics':"               \
	"{'db.row_count':2}}],[{'trace_id':1838263505978427528,"               \
	"'span_id':163,'parent_id':162,'service':'db','name':'read',"          \
	"'start':1700000000020000000,'duration':100000000}]]"

#define XRAY                                                                   \
	"{'Traces':[{'Id':'1-00112233-445566778899aabbccddeeff',"              \
	"'Duration':0.25,'LimitExceeded':false,'Segments':[{'Id':"             \
	"'00000000000000a1','Document':{'id':'00000000000000a1',"              \
	"'trace_id':'1-00112233-445566778899aabbccddeeff','name':'shop',"      \
	"'start_time':1700000000.0,'end_time':1700000000.25,'error':true,"     \
	"'origin':'AWS::ECS::Container','user':'u','http':{'request':"         \
	"{'method':'GET','url':'http://shop/cart'},'response':"                \
	"{'status':500}},'aws':{'account_id':'1','ecs':{'container':"          \
	"'c1'}},'annotations':{'tenant':"                                      \
	"'acme','n':3,'gift':false},'metadata':{'default':{'cart':[1],"        \
	"'otel.resource.host.name':'h1'},'own':{'k':0.5},'flat':1},"           \
	"'links':[{'trace_id':'1-ffeeddcc-bbaa99887766554433221100','id':"     \
	"'00000000000000b7'}],'cause':{'exceptions':[{'id':"                   \
	"'00000000000000e1','type':'Late','message':'too late','stack':"       \
	"[{'path':'a.py','line':7,'label':'main'}]}]},'subsegments':["         \
	"{'id':'00000000000000a2','name':'DynamoDB','namespace':'aws',"        \
	"'start_time':1700000000.03125,'end_time':1700000000.1875,'aws':"      \
	"{'operation':'GetItem','table_name':'carts'},'subsegments':["         \
	"{'id':'00000000000000a3','name':'SQS','namespace':'aws',"             \
	"'start_time':1700000000.0625,'end_time':1700000000.125},"             \
	"{'id':'00000000000000a4','name':'db','namespace':'remote',"           \
	"'fault':true,'start_time':1700000000.0625,'end_time':"                \
	"1700000000.125,'sql':{'sanitized_query':'SELECT ?',"                  \
	"'database_type':'PostgreSQL'}}]}]}},{'Id':'00000000000000a5',"        \
	"'Document':{'id':'00000000000000a5','parent_id':"                     \
	"'00000000000000a2','inferred':true,'name':'DynamoDB',"                \
	"'trace_id':'1-00112233-445566778899aabbccddeeff','start_time':"       \
	"1700000000.03125,'end_time':1700000000.1875}},{'Id':"                 \
	"'00000000000000a6','Document':{'id':'00000000000000a6',"              \
	"'type':'subsegment','parent_id':'00000000000000a4','name':'read',"    \
	"'trace_id':'1-00112233-445566778899aabbccddeeff','start_time':"       \
	"1700000000.0703125,'end_time':1700000000.109375}}]}],"                \
	"'UnprocessedTraceIds':[]}"

#define CLOUD_TRACE                                                            \
	"{'projectId':'p','traceId':'" ID "','spans':["                        \
	"{'spanId':'161','kind':'RPC_SERVER','name':'GET /cart',"              \
	"'startTime':'2023-11-14T22:13:20Z',"                                  \
	"'endTime':'2023-11-14T22:13:20.250Z','labels':{"                      \
	"'g.co/r/service_name':'x','service.name':'shop',"                     \
	"'/http/status_code':'500','/http/method':'GET',"                      \
	"'g.co/status/code':'2','g.co/status/message':'late',"                 \
	"'g.co/agent':'opentelemetry-go 1.2','app.flag':'true'}},"             \
	"{'spanId':162,'parentSpanId':'161','kind':'RPC_CLIENT',"              \
	"'name':'SELECT','startTime':'2023-11-14T22:13:20.010Z',"              \
	"'endTime':'2023-11-14T22:13:20.200Z','labels':{"                      \
	"'service.name':'shop','error.type':'timeout'}}]}"

#define CLOUD_LIST "{'traces':[" CLOUD_TRACE "],'nextPageToken':'more'}"

#define TEMPO_SPANS                                                            \
	"'spans':[{'spanID':'00000000000000a1','name':'GET /cart',"            \
	"'startTimeUnixNano':'" T0 "','durationNanos':'250000000',"            \
	"'attributes':[{'key':'service.name','value':{'stringValue':"          \
	"'shop'}},{'key':'kind','value':{'stringValue':'server'}},"            \
	"{'key':'status','value':{'stringValue':'error'}},"                    \
	"{'key':'service.version','value':{'stringValue':'1.4'}},"             \
	"{'key':'host.name','value':{'stringValue':'h1'}},"                    \
	"{'key':'pyroscope.profile.id','value':{'stringValue':"                \
	"'00000000000000a1'}}]}],'matched':1"

#define TEMPO_SEARCH(sets)                                                     \
	"{'traces':[{'traceID':'" ID "','rootServiceName':'shop',"             \
	"'rootTraceName':'GET /cart','startTimeUnixNano':'" T0 "',"            \
	"'durationMs':250," sets ",'serviceStats':{'shop':{'spanCount':2,"     \
	"'errorCount':1}}}],'metrics':{'inspectedTraces':1}}"

#define CLOUD_PROFILES                                                         \
	"{'profiles':[{'name':'projects/p/profiles/a1','profileType':'CPU',"   \
	"'deployment':{'projectId':'p','target':'shop','labels':{"             \
	"'version':'1.4','zone':'z1'}},'duration':'9.980s','profileBytes':"    \
	"'AAEC','labels':{'instance':'vm-1'},'startTime':"                     \
	"'2026-11-21T10:05:00Z'}],'nextPageToken':'more',"                     \
	"'skippedProfiles':2}"

#define SPEEDSCOPE                                                             \
	"{'$schema':'https://www.speedscope.app/file-format-schema.json',"     \
	"'shared':{'frames':[{'name':'main','file':'a.c','line':3},"           \
	"{'name':'work','file':'b.c','line':7,'col':2}]},'profiles':["         \
	"{'type':'sampled','name':'one','unit':'nanoseconds','startValue':0,"  \
	"'endValue':30,'samples':[[0],[0,1]],'weights':[10,'20']},"            \
	"{'type':'evented','name':'two','unit':'nanoseconds','startValue':0,"  \
	"'endValue':9,'events':[{'type':'O','frame':0,'at':0},"                \
	"{'type':'O','frame':1,'at':2},{'type':'C','frame':1,'at':7},"         \
	"{'type':'C','frame':0,'at':9}]}]}"

#define V8_CALL(name, line)                                                    \
	"'callFrame':{'functionName':'" name "','scriptId':'9',"               \
	"'url':'file:///a.js','lineNumber':" line ",'columnNumber':4}"
#define V8_CPU                                                                                 \
	"{'nodes':[{'id':1," V8_CALL(                                                          \
		"(root)",                                                                      \
		"-1") ",'hitCount':0,"                                                         \
		      "'children':[2]},{'id':2," V8_CALL(                                      \
			      "work",                                                          \
			      "2") ",'hitCount':2,"                                            \
				   "'positionTicks':[{'line':3,'ticks':2}]}],'startTime':100," \
				   "'endTime':190,'samples':[2,2],'timeDeltas':[10,30]}"
#define CHROME                                                                                                              \
	"{'traceEvents':[{'args':{'data':{'startTime':5}},'cat':'c',"                                                       \
	"'id':'0x1','name':'Profile','ph':'P','pid':7,'tid':8,'ts':1},"                                                     \
	"{'args':{'data':{'cpuProfile':{'nodes':[{'id':1," V8_CALL(                                                         \
		"(root)",                                                                                                   \
		"-1") "},{'id':2,'parent':1," V8_CALL("work",                                                               \
						      "2") "}],'samples':[2,2]},'timeDeltas':[1,4]}},'cat':'c','id':'0x1'," \
							   "'name':'ProfileChunk','ph':'P','pid':7,'tid':9,'ts':2}]}"
#define V8_HEAP                                                                \
	"{'head':{" V8_CALL(                                                   \
		"(root)",                                                      \
		"-1") ",'selfSize':0,'id':1,"                                  \
		      "'children':[{" V8_CALL(                                 \
			      "work",                                          \
			      "2") ",'selfSize':65,'id':2,"                    \
				   "'children':[]}]},'samples':[{'size':65,'nodeId':2,'ordinal':1}]}"

const struct json_subject json_subjects[] = {
	{ "OTLP", tell_otlp_json, "{'resourceSpans':" OTLP_GROUPS "}" },
	{ "OTLP, nested values", tell_otlp_json, OTLP_NESTED, true },
	{ "OTLP of Tempo", tell_otlp_json,
	  "{'trace':{'batches':" OTLP_GROUPS "},'status':'PARTIAL',"
	  "'message':'too large'}" },
	{ "OTLP of Jaeger", tell_otlp_json,
	  "{'result':{'resourceSpans':" OTLP_GROUPS "},'error':{'message':"
	  "'half','httpCode':500}}" },
	{ "Jaeger", tell_jaeger, JAEGER },
	{ "Jaeger, a process in a span", tell_jaeger,
	  "{'traceID':'" ID "','spans':[{'traceID':'" ID "','spanID':"
	  "'00000000000000a1','operationName':'GET /cart','startTime':"
	  "1700000000000000,'duration':250000,'process':{'serviceName':"
	  "'shop','tags':[{'key':'ip','type':'string','value':"
	  "'10.0.0.1'}]}}]}" },
	{ "Zipkin", tell_zipkin, ZIPKIN },
	{ "spans of a Chrome trace", tell_chrome_spans,
	  "{'traceEvents':[{'ph':'M','name':'process_name','pid':1,'args':"
	  "{'name':'shop'}},{'ph':'M','name':'thread_name','pid':1,'tid':2,"
	  "'args':{'name':'main'}},{'ph':'X','name':'a','cat':'c','pid':1,"
	  "'tid':2,'ts':1700000000000000,'dur':250,'args':{'http.route':'/',"
	  "'list':[1,2]}},{'ph':'B','name':'b','pid':1,'tid':2,'ts':"
	  "1700000000000010},{'ph':'E','pid':1,'tid':2,'ts':"
	  "1700000000000020},{'ph':'b','name':'c','cat':'n','id':'0x1',"
	  "'scope':'s','pid':2,'ts':1700000000000015},{'ph':'e','name':'c',"
	  "'cat':'n','id':'0x1','scope':'s','pid':2,'ts':1700000000000025},"
	  "{'ph':'S','name':'d','id2':{'local':'7'},'pid':2,'ts':"
	  "1700000000000015}]}",
	  true },
	{ "a trace that was written as Chrome's", tell_chrome_spans,
	  "{'otherData':{'trace_id':'" ID "','start':"
	  "'2023-11-14T22:13:20.000000000Z'},'traceEvents':[{'ph':'X','name':"
	  "'a','cat':'server','pid':1,'tid':1,'ts':0,'dur':250.5,'args':"
	  "{'span_id':'00000000000000a1','parent_span_id':null,'error':true,"
	  "'status_message':'late','attributes':{'http.route':'/'}}},{'ph':"
	  "'X','name':'b','cat':'client','pid':1,'tid':1,'ts':5,'dur':9,"
	  "'args':{'span_id':'00000000000000a2','parent_span_id':"
	  "'00000000000000a1'}}]}" },
	{ "Datadog", tell_datadog, DATADOG },
	{ "Datadog, of its web page", tell_datadog,
	  "{'trace':{'root_id':'161','spans':{'161':{'trace_id':"
	  "'1838263505978427528','span_id':'161','parent_id':'0','service':"
	  "'shop','name':'flask.request','resource':'GET /cart','start':"
	  "1700000000.0,'duration':0.25,'meta':{'a':'b'}}}}}" },
	{ "Datadog, as it is logged", tell_datadog,
	  "{'traces':[[{'trace_id':'00112233445566778899aabbccddeeff',"
	  "'span_id':'a1','parent_id':'0','name':'x','start':"
	  "1700000000000000000,'duration':250000000}]]}" },
	{ "X-Ray", tell_xray, XRAY, true },
	{ "X-Ray, a segment", tell_xray,
	  "{'id':'00000000000000a1','name':'shop',"
	  "'trace_id':'1-00112233-445566778899aabbccddeeff',"
	  "'start_time':1.7E9,'end_time':1700000000.25,'parent_id':"
	  "'00000000000000a9','fault':false,'subsegments':[{'id':"
	  "'00000000000000a2','name':'S3','namespace':'aws','throttle':true,"
	  "'start_time':1700000000.03125,'end_time':1700000000.1875,"
	  "'subsegments':[{'id':'00000000000000a3','name':'attempt',"
	  "'start_time':1700000000.0625,'end_time':1700000000.125}]}]}" },
	{ "Cloud Trace", tell_cloud_trace, CLOUD_TRACE },
	{ "Cloud Trace, its spans first", tell_cloud_trace,
	  "{'spans':[{'spanId':'161','name':'GET /cart','startTime':"
	  "'2023-11-14T22:13:20Z','labels':{'service.name':'shop'}}],"
	  "'traceId':'" ID "'}" },
	{ "search of Tempo", tell_tempo_hits,
	  TEMPO_SEARCH("'spanSets':[{" TEMPO_SPANS "}]") },
	{ "search of an old Tempo", tell_tempo_hits,
	  TEMPO_SEARCH("'spanSet':{" TEMPO_SPANS "}") },
	{ "history of Tempo", tell_tempo_history,
	  TEMPO_SEARCH("'spanSets':[{" TEMPO_SPANS "}]") },
	{ "search of Jaeger", tell_jaeger_hits,
	  "{'result':{'resourceSpans':" OTLP_GROUPS "}}" },
	{ "history of Jaeger", tell_jaeger_history,
	  "{'result':{'resourceSpans':" OTLP_GROUPS "}}" },
	{ "search of Jaeger's older API", tell_legacy_hits, JAEGER },
	{ "history of Jaeger's older API", tell_legacy_history, JAEGER },
	{ "search of Cloud Trace", tell_cloud_hits, CLOUD_LIST },
	{ "history of Cloud Trace", tell_cloud_history, CLOUD_LIST },
	{ "counts of Tempo", tell_tempo_counts,
	  "{'series':[{'labels':[],'samples':["
	  "{'timestampMs':'1700000060000','value':3},"
	  "{'timestampMs':1700000120000,'value':4}]}],'metrics':{}}" },
	{ "counts of Jaeger", tell_jaeger_counts,
	  "{'summaries':[{'traceId':'" ID "','minStartTimeUnixNano':'" T0 "'},"
	  "{'minStartTimeUnixNano':1700000070000000000}]}" },
	{ "durations of Tempo", tell_histogram,
	  "{'series':[{'labels':[{'key':'__bucket','value':{'doubleValue':"
	  "0.001048576}}],'samples':[{'timestampMs':'1700000060000','value':"
	  "3},{'timestampMs':'1700000120000','value':4}]},"
	  "{'labels':[{'key':'__bucket','value':{'doubleValue':0.002097152}}],"
	  "'value':2}],'status':'COMPLETE'}" },
	{ "list of Cloud Profiler", tell_cloud_page, CLOUD_PROFILES },
	{ "profiles of Cloud Profiler", tell_cloud_take, CLOUD_PROFILES },
	{ "speedscope", tell_speedscope, SPEEDSCOPE, .refuses_null = true },
	{ "CPU profile of V8", tell_v8, V8_CPU, .refuses_null = true },
	{ "Chrome trace", tell_chrome, CHROME, .refuses_null = true },
	{ "heap profile of V8", tell_v8, V8_HEAP, .refuses_null = true },
	{ "flame graph", tell_flame_json,
	  "{'flamegraph':{'names':['total','main','work'],'levels':["
	  "{'values':['0','10','0','0']},{'values':[0,8,3,1,0,2,2,2]},"
	  "{'values':[0,5,5,2]}],'total':'10','maxSelf':'5'}}",
	  .refuses_null = true },
	{ "flame graph of /render", tell_flame_json,
	  "{'flamebearer':{'names':['total','main','work'],'levels':["
	  "[0,10,0,0],[0,8,3,1,0,2,2,2],[0,5,5,2]],'numTicks':10,"
	  "'maxSelf':5},'metadata':{'format':'single','units':'samples'}}",
	  .refuses_null = true },
	{ "tree in JSON", tell_flame_json,
	  "{'tree':'AAABBG1haW4DAQR3b3JrBQA='}", .refuses_null = true },
	{ .name = NULL },
};
