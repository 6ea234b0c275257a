#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    io.zipkin.zipkin2:zipkin 3.5.1 (Maven)
# Source:  zipkin2/internal/DependencyLinker.java, putTrace()
# Guess:   a message from web to worker (a producer span, and a consumer span as its
#          child) is a link in the graph of services, as a call from web to db is.
# Seen:    the call is one without being told whom it calls. The message is none unless
#          the spans name a broker as their other side; then there are two, web to
#          broker and broker to worker. Who publishes without naming one has no links.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
mvn -q dependency:copy -Dartifact=io.zipkin.zipkin2:zipkin:3.5.1 -DoutputDirectory=. >/dev/null
cat >Links.java <<'JAVA'
import java.util.*;
import zipkin2.*;
import zipkin2.internal.DependencyLinker;
public class Links {
  static Endpoint named(String name) {
    return name == null ? null : Endpoint.newBuilder().serviceName(name).build();
  }
  static Span span(String parent, String id, Span.Kind kind, String service, String other) {
    return Span.newBuilder().traceId("1").parentId(parent).id(id).kind(kind)
        .localEndpoint(named(service)).remoteEndpoint(named(other)).build();
  }
  static void say(String what, Span... spans) {
    StringBuilder links = new StringBuilder(what + ":");
    for (DependencyLink link : new DependencyLinker().putTrace(Arrays.asList(spans)).link())
      links.append(" " + link.parent() + "-" + link.child());
    System.out.println(links);
  }
  public static void main(String[] args) {
    Span root = span(null, "1", Span.Kind.SERVER, "web", null);
    say("call", root, span("1", "2", Span.Kind.CLIENT, "web", null), span("2", "3", Span.Kind.SERVER, "db", null));
    for (String broker : new String[] {null, "kafka"})
      say("message", root, span("1", "4", Span.Kind.PRODUCER, "web", broker),
          span("4", "5", Span.Kind.CONSUMER, "worker", broker));
  }
}
JAVA
seen=$(java -cp zipkin-3.5.1.jar Links.java)
printf '%s\n' "$seen"
[ "$seen" = 'call: web-db
message:
message: web-kafka kafka-worker' ]
