import { beforeAll, describe, expect, it } from "vitest";
import { readAssembly, type Template } from "../../src/cloudformation/assembly.ts";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { type Resources, resolveStacks } from "../../src/cloudformation/resources.ts";
import { StartupError } from "../../src/startup-error.ts";
import { createUsageState, noUsage } from "../../src/usage-plans/model.ts";
import { createUsagePlans } from "../../src/usage-plans/usage-plans.ts";
import { openWebSocketApi } from "../../src/websocket-api/websocket-api.ts";
import { synthesizeWebSocket } from "./assembly.ts";

let template: Template;
let resources: Resources;
beforeAll(() => {
  const [stack] = readAssembly(synthesizeWebSocket()).stacks;
  if (stack === undefined) throw new Error("There is no stack");
  template = stack.template;
  resources = resolve();
});

/** Resolves the resources of the stack and some others. */
const resolve = (more: Template["Resources"] = {}) =>
  resolveStacks(
    [{ name: "Stream", template: { ...template, Resources: { ...template.Resources, ...more } } }],
    resourceTypes(({ logicalId }) => ({ keyId: logicalId, arn: logicalId })),
  );

const open = (from: Resources) =>
  openWebSocketApi(
    from,
    () => Promise.reject(),
    createUsagePlans(createUsageState(noUsage)),
    () => {},
  );

const other = (Properties: Record<string, unknown>) => ({ Type: "AWS::ApiGatewayV2::Api", Properties });

describe("openWebSocketApi", () => {
  it("opens a WebSocket API that CDK synthesized", () => {
    expect(open(resources)).toBeDefined();
  });

  it("opens nothing if there is no WebSocket API", () => {
    const none = resolveStacks(
      [{ name: "Empty", template: { ...template, Resources: {}, Outputs: {} } }],
      {},
    );
    expect(open(none)).toBeUndefined();
  });

  it("throws a StartupError if there are several APIs for the one stream URL", () => {
    const opening = () => open(resolve({ Other: other({ ProtocolType: "WEBSOCKET" }) }));
    expect(opening).toThrow(StartupError);
    expect(opening).toThrow("There are several WebSocket APIs, but only one stream URL.");
  });

  it("throws a StartupError that names a property that is not emulated", () => {
    const { logicalId } = resources.ofType("AWS::ApiGatewayV2::Api")[0] ?? { logicalId: "" };
    const opening = () => open(resolve({ [logicalId]: other({ ProtocolType: "HTTP" }) }));
    expect(opening).toThrow(StartupError);
    expect(opening).toThrow(
      `${logicalId} (AWS::ApiGatewayV2::Api) has something that is not emulated: ProtocolType`,
    );
  });
});

describe("the resources of a WebSocket API", () => {
  const only = (type: string) => {
    const [resource] = resources.ofType(`AWS::ApiGatewayV2::${type}`);
    if (resource === undefined) throw new Error(`There is no ${type}`);
    return resource;
  };

  it("resolves a WebSocket API's AWS URLs and custom domains", () => {
    const { logicalId } = only("Api");
    const host = `${logicalId}.execute-api.us-east-1.amazonaws.com`;
    expect(resources.outputs()).toEqual({
      ApiEndpoint: `wss://${host}`,
      StreamUrl: `wss://${host}/live`,
      DomainName: "stream.example",
    });
  });

  it("refers to other resources of a WebSocket API by logical id", () => {
    const authorizer = only("Authorizer").logicalId;
    const routes = resources.ofType("AWS::ApiGatewayV2::Route").map((route) => route.properties());
    expect(routes.find(({ RouteKey }) => RouteKey === "$connect")).toMatchObject({
      ApiId: only("Api").logicalId,
      AuthorizerId: authorizer,
    });
    const integrations = resources.ofType("AWS::ApiGatewayV2::Integration");
    expect(new Set(routes.map(({ Target }) => Target))).toEqual(
      new Set(integrations.map(({ logicalId }) => `integrations/${logicalId}`)),
    );
    expect(only("ApiMapping").properties()).toMatchObject({ DomainName: "stream.example", Stage: "live" });
  });
});
