import { describe, expect, it } from "vitest";
import { type GatewayRequest, header } from "../../src/http/messages.ts";
import { createCallers } from "../../src/iam/callers.ts";
import { lambdaService } from "../../src/lambda/lambda-service.ts";
import type { ServiceRoute } from "../../src/services.ts";
import { memoryStore } from "../../src/storage/store.ts";
import type { Usage } from "../../src/usage-plans/model.ts";
import { createUsage } from "../../src/usage-plans/usage.ts";
import { awsLimits } from "../../src/websocket-api/connection.ts";
import { connectionsService } from "../../src/websocket-api/connections-service.ts";
import { functionArn, resourcesOf } from "../cloudformation/stack.ts";
import { key, plan, usage } from "../usage-plans/fixture.ts";

const roleArn = "arn:aws:iam::000000000000:role/S-Role";
const controlPlane = "arn:aws:apigateway:us-east-1::";

/** A statement that allows an action on a resource, under a condition. */
type Right = [action: string, resource: string, condition?: Record<string, string>];

/** Creates a function whose role has only these rights. */
function callerWith(...rights: Right[]) {
  const Statement = rights.map(([Action, Resource, StringEquals]) => ({
    Effect: "Allow",
    Action,
    Resource,
    ...(StringEquals && { Condition: { StringEquals } }),
  }));
  const Policies = [{ PolicyName: "P", PolicyDocument: { Statement } }];
  const resources = resourcesOf({ Role: { Type: "AWS::IAM::Role", Properties: { Policies } } });
  return createCallers([{ name: "fn", arn: functionArn("fn"), roleArn }], resources).of("fn");
}

/** Calls a service as a function with these rights. Returns the status and the type of an error. */
async function call(service: ServiceRoute, line: string, body: unknown, rights: Right[]) {
  const [method = "", target = ""] = line.split(" ");
  const sourceIp = "127.0.0.1";
  const request: GatewayRequest = {
    method,
    target,
    headers: [],
    body: Buffer.from(JSON.stringify(body)),
    sourceIp,
  };
  const answer = await service(request, callerWith(...rights));
  return [
    answer?.status,
    answer && header(answer, "x-amzn-errortype"),
    answer?.body.toString() ?? "",
  ] as const;
}

const denied = (action: string, resource: string) => [
  403,
  "AccessDeniedException",
  expect.stringContaining(
    `assumed-role/S-Role/fn is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`,
  ),
];

describe("a function that invokes another one", () => {
  const invoked: unknown[] = [];
  const lambda = { has: () => true, invoke: async () => ({ payload: "null" }) };
  const service = lambdaService(lambda, (name) => invoked.push(name));
  const invoke = (name: string, ...rights: Right[]) =>
    call(service, `POST /2015-03-31/functions/${encodeURIComponent(name)}/invocations`, {}, rights);

  it("requires the right to invoke a function, whether by name or ARN", async () => {
    const right: Right = ["lambda:InvokeFunction", functionArn("signer")];
    for (const name of ["signer", functionArn("signer"), `${functionArn("signer")}:$LATEST`]) {
      expect(await invoke(name, right)).toEqual([200, undefined, "null"]);
      expect(await invoke(name)).toEqual(denied("lambda:InvokeFunction", functionArn("signer")));
    }
    expect(await invoke("other", right)).toEqual(denied("lambda:InvokeFunction", functionArn("other")));
    expect(invoked).toEqual([]);
  });
});

describe("a function that pushes to a client", () => {
  const service = connectionsService({
    find: () => undefined,
    limits: awsLimits,
    admit: () => true,
    place: { apiId: "Api", stage: "live" },
  });
  const connections = (method: string) =>
    `arn:aws:execute-api:us-east-1:000000000000:Api/live/${method}/@connections/`;
  const right: Right = ["execute-api:ManageConnections", `${connections("POST")}*`];

  it("requires the right to the method for pushing to a client", async () => {
    expect(await call(service, "POST /@connections/c%3D", {}, [right])).toEqual([
      410,
      "GoneException",
      expect.any(String),
    ]);
    expect(await call(service, "POST /@connections/c%3D", {}, [])).toEqual(
      denied("execute-api:ManageConnections", `${connections("POST")}c=`),
    );
    expect(await call(service, "DELETE /live/@connections/c", {}, [right])).toEqual(
      denied("execute-api:ManageConnections", `${connections("DELETE")}c`),
    );
  });
});

describe("a function that manages keys and plans", () => {
  const stored: Usage = usage([key("tagged", { tags: { owner: "us" } }), key("plain")], [plan("P")], {});
  const stage = { type: "AWS::ApiGateway::Stage", logicalId: "Stage" };
  const resources = [{ ...stage, properties: { RestApiId: "Api", StageName: "live" } }];
  const store = { ...memoryStore, load: <Stored>() => stored as Stored };
  const manage = (line: string, body: unknown, ...rights: Right[]) =>
    call(createUsage(resources, { store, report: () => {} }).controlPlane, line, body, rights);

  it("requires the right to the method and the path for managing keys and plans", async () => {
    const right: Right = ["apigateway:GET", `${controlPlane}/apikeys`];
    expect(await manage("GET /apikeys?limit=1", {}, right)).toEqual([200, undefined, expect.any(String)]);
    expect(await manage("GET /usageplans/P", {}, right)).toEqual(
      denied("apigateway:GET", `${controlPlane}/usageplans/P`),
    );
    expect(await manage("DELETE /apikeys/none", {}, right)).toEqual([
      404,
      "NotFoundException",
      expect.any(String),
    ]);
  });

  it("requires the right to tag a new key, which has no id yet", async () => {
    const make: Right = ["apigateway:POST", `${controlPlane}/apikeys`, { "aws:RequestTag/owner": "us" }];
    const tagging = `${controlPlane}/tags/arn%3Aaws%3Aapigateway%3Aus-east-1%3A%3A%2Fapikeys%2F`;
    const tag: Right = ["apigateway:PUT", `${tagging}$\{*}`];
    const tags = { owner: "us" };
    expect(await manage("POST /apikeys", { tags }, make, tag)).toEqual([201, undefined, expect.any(String)]);
    expect(await manage("POST /apikeys", { tags }, make)).toEqual(denied("apigateway:PUT", `${tagging}*`));
    for (const other of [{}, { owner: "them" }])
      expect(await manage("POST /apikeys", { tags: other }, make, tag)).toEqual([
        403,
        "AccessDeniedException",
        expect.any(String),
      ]);
  });

  it("requires a right that covers the key's tags", async () => {
    const right: Right = [
      "apigateway:DELETE",
      `${controlPlane}/apikeys/*`,
      { "aws:ResourceTag/owner": "us" },
    ];
    expect(await manage("DELETE /apikeys/tagged", {}, right)).toEqual([202, undefined, expect.any(String)]);
    expect(await manage("DELETE /apikeys/plain", {}, right)).toEqual(
      denied("apigateway:DELETE", `${controlPlane}/apikeys/plain`),
    );
  });
});
