import type { Integration } from "./api-definition.ts";
import { readMappingTemplate } from "./mapping-template.ts";
import type { Pair } from "./messages.ts";
import type { MockResponse } from "./mock-integration.ts";
import type { MethodProperties, MockProperties } from "./property-schemas.ts";
import { readExpression } from "./request-parameters.ts";

/** @throws Error for something in a mapping that is not emulated */
export function readIntegration({ Integration, MethodResponses }: MethodProperties): Integration {
  if (Integration.Type === "AWS_PROXY") {
    return { type: "AWS_PROXY", functionArn: Integration.Uri, timeoutMs: Integration.TimeoutInMillis };
  }
  return {
    type: "MOCK",
    passthrough: Integration.PassthroughBehavior,
    requestTemplate: readTemplate(Integration.RequestTemplates),
    responses: Integration.IntegrationResponses.map((response) =>
      readMockResponse(response, MethodResponses),
    ),
  };
}

function readMockResponse(
  response: MockProperties["IntegrationResponses"][number],
  methodResponses: MethodProperties["MethodResponses"],
): MockResponse {
  const { StatusCode, SelectionPattern, ResponseParameters, ResponseTemplates } = response;
  const declared = methodResponses.find((methodResponse) => methodResponse.StatusCode === StatusCode);
  if (!declared) throw new Error(`an integration response ${StatusCode} without a method response`);
  return {
    status: StatusCode,
    pattern: SelectionPattern ? new RegExp(`^(?:${SelectionPattern})$`) : undefined,
    headers: Object.entries(ResponseParameters).map(([target, expression]) => {
      if (!(target in declared.ResponseParameters)) {
        throw new Error(`"${target}", which the method response does not declare`);
      }
      return readHeader(target, expression);
    }),
    template: readTemplate(ResponseTemplates),
  };
}

function readHeader(target: string, expression: string): Pair {
  const [, name] = /^method\.response\.header\.([\w-]+)$/.exec(target) ?? [];
  const source = readExpression(expression);
  if (name === undefined || source.kind !== "static") throw new Error(`"${target}": ${expression}`);
  return [name, source.value];
}

function readTemplate(templates: { "application/json"?: string | undefined }) {
  const text = templates["application/json"];
  return text === undefined ? undefined : readMappingTemplate(text);
}
