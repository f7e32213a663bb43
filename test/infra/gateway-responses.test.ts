import { describe, expect, it } from "vitest";
import { propertiesOf, synthesize } from "./synthesized.ts";

type ResponseProperties = {
  ResponseParameters?: Record<string, string>;
  ResponseTemplates: Record<string, string>;
  ResponseType: string;
  StatusCode?: string;
};

const responsesOf = (context?: Record<string, unknown>) =>
  propertiesOf<ResponseProperties>(synthesize(context).api, "AWS::ApiGateway::GatewayResponse");

const fault = '{"error":"Internal server error","message":"Internal server error"}';
const message = "$context.error.messageString";

const expected: Record<string, [status: string | undefined, body: string]> = {
  ACCESS_DENIED: ["401", "$context.authorizer.unauthorized"],
  API_CONFIGURATION_ERROR: [undefined, fault],
  AUTHORIZER_CONFIGURATION_ERROR: [undefined, fault],
  AUTHORIZER_FAILURE: [undefined, fault],
  DEFAULT_4XX: [undefined, `{"error":${message},"message":${message}}`],
  DEFAULT_5XX: [undefined, fault],
  INTEGRATION_FAILURE: [undefined, fault],
  INTEGRATION_TIMEOUT: [undefined, '{"error":"The request timed out","message":"The request timed out"}'],
  MISSING_AUTHENTICATION_TOKEN: ["404", '{"error":"Not found"}'],
  QUOTA_EXCEEDED: [undefined, '{"error":"Too many requests"}'],
  RESOURCE_NOT_FOUND: ["404", '{"error":"Not found"}'],
  THROTTLED: [undefined, '{"error":"Too many requests"}'],
  UNAUTHORIZED: ["401", '{"error":"No token provided"}'],
};

describe("the gateway's own answers", () => {
  it("have the service's statuses and bodies", () => {
    const responses = responsesOf().map(({ ResponseType, StatusCode, ResponseTemplates }) => {
      expect(Object.keys(ResponseTemplates)).toEqual(["application/json"]);
      return [ResponseType, [StatusCode, ResponseTemplates["application/json"]]];
    });
    expect(Object.fromEntries(responses)).toEqual(expected);
  });

  it("say when to come back after too many requests, and set no other header without allowed origins", () => {
    const headers = responsesOf().flatMap(({ ResponseType, ResponseParameters }) =>
      Object.entries(ResponseParameters ?? {}).map(([name, value]) => [ResponseType, name, value]),
    );
    expect(headers).toEqual([
      ["THROTTLED", "gatewayresponse.header.Retry-After", "'1'"],
      ["QUOTA_EXCEEDED", "gatewayresponse.header.Retry-After", "'1'"],
    ]);
  });

  it("can be read by pages of the first allowed origin", () => {
    const responses = responsesOf({ allowedOrigins: ["https://app.example", "https://other.example"] });
    expect(responses).toHaveLength(Object.keys(expected).length);
    for (const { ResponseType, ResponseParameters } of responses)
      expect(ResponseParameters, ResponseType).toMatchObject({
        "gatewayresponse.header.Access-Control-Allow-Origin": "'https://app.example'",
        "gatewayresponse.header.Access-Control-Allow-Credentials": "'true'",
        "gatewayresponse.header.Access-Control-Expose-Headers": "'Retry-After'",
        "gatewayresponse.header.Vary": "'Origin'",
      });
  });
});
