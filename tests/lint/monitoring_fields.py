# SPDX-License-Identifier: Apache-2.0
"""Fields of Cloud Monitoring's JSON, those that documents of ours have.

Names and types are those of the messages of package google.monitoring.v3 in
alert.proto, common.proto and service.proto of github.com/googleapis/googleapis
(read at f8291d2b89f0, August 2026), as proto3 writes them in JSON: lowerCamelCase,
a duration as "300s", an enumeration by its name. Types: "string", "double",
"bool", "int32", "duration", another message; a list has [] around it, an
enumeration is the tuple of the values that are taken.
"""

FIELDS = {
    "Service": {"name": "string", "displayName": "string", "custom": "Custom"},
    "Custom": {},
    "ServiceLevelObjective": {
        "name": "string", "displayName": "string",
        "serviceLevelIndicator": "ServiceLevelIndicator", "goal": "double",
        "rollingPeriod": "duration"},
    "ServiceLevelIndicator": {"requestBased": "RequestBasedSli"},
    "RequestBasedSli": {"goodTotalRatio": "TimeSeriesRatio",
                        "distributionCut": "DistributionCut"},
    "TimeSeriesRatio": {"goodServiceFilter": "string",
                        "badServiceFilter": "string",
                        "totalServiceFilter": "string"},
    "DistributionCut": {"distributionFilter": "string", "range": "Range"},
    "Range": {"min": "double", "max": "double"},
    "AlertPolicy": {
        "displayName": "string", "documentation": "Documentation",
        "conditions": ["Condition"], "combiner": ("AND", "OR"),
        "enabled": "bool", "severity": ("CRITICAL", "ERROR", "WARNING"),
        "alertStrategy": "AlertStrategy", "notificationChannels": ["string"]},
    "Documentation": {"content": "string", "mimeType": "string"},
    "AlertStrategy": {"autoClose": "duration"},
    "Condition": {
        "displayName": "string", "conditionThreshold": "MetricThreshold",
        "conditionPrometheusQueryLanguage": "PrometheusQueryLanguageCondition"},
    "MetricThreshold": {
        "filter": "string", "aggregations": ["Aggregation"],
        "forecastOptions": "ForecastOptions",
        "comparison": ("COMPARISON_GT", "COMPARISON_LT"),
        "thresholdValue": "double", "duration": "duration",
        "trigger": "Trigger",
        "evaluationMissingData": ("EVALUATION_MISSING_DATA_INACTIVE",)},
    "ForecastOptions": {"forecastHorizon": "duration"},
    "Trigger": {"count": "int32"},
    "PrometheusQueryLanguageCondition": {
        "query": "string", "duration": "duration",
        "evaluationInterval": "duration", "labels": "Labels",
        "ruleGroup": "string", "alertRule": "string",
        "disableMetricValidation": "bool"},
    "Labels": {"severity": "string"},  # a map of texts
    "Aggregation": {
        "alignmentPeriod": "duration",
        "perSeriesAligner": ("ALIGN_DELTA", "ALIGN_RATE", "ALIGN_MAX",
                             "ALIGN_PERCENT_CHANGE"),
        "crossSeriesReducer": (
            "REDUCE_SUM", "REDUCE_MAX", "REDUCE_PERCENTILE_99",
            "REDUCE_PERCENTILE_95", "REDUCE_PERCENTILE_50",
            "REDUCE_PERCENTILE_05"),
        "groupByFields": ["string"]},
}

# Of these fields of a message one is there.
ONE_OF = {
    "Service": {"custom"},
    "ServiceLevelObjective": {"rollingPeriod"},
    "ServiceLevelIndicator": {"requestBased"},
    "RequestBasedSli": {"goodTotalRatio", "distributionCut"},
    "Condition": {"conditionThreshold", "conditionPrometheusQueryLanguage"},
}
