import {
  CreateApiKeyCommand,
  CreateUsagePlanCommand,
  GetApiKeysCommand,
  GetUsagePlanCommand,
  TagResourceCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, it } from "vitest";
import { key, live, plan, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset } = servedControlPlane();

beforeEach(() => reset(usage([key("alice", { tags: { a: "1", b: "2" } })], [plan("P")], {})));

const arnOf = (path: string) => `arn:aws:apigateway:us-east-1::/${path}`;
const tag = (resourceArn: string, tags: Record<string, string>) =>
  send(new TagResourceCommand({ resourceArn, tags }));

describe("tags", () => {
  it("shows tags with a new key and a new plan", async () => {
    const tags = { "plan-prefix": "Terminal/user/" };
    expect(await send(new CreateApiKeyCommand({ name: "bob", tags }))).toMatchObject({ tags });
    const { items = [] } = await send(new GetApiKeysCommand({ nameQuery: "bob" }));
    expect(items.map((each) => each.tags)).toEqual([tags]);
    const { id } = await send(new CreateUsagePlanCommand({ name: "Q", apiStages: [live], tags }));
    expect(await send(new GetUsagePlanCommand({ usagePlanId: id }))).toMatchObject({ tags });
  });

  it("adds and replaces tags", async () => {
    const { $metadata } = await tag(arnOf("apikeys/alice"), { b: "3", c: "4" });
    expect($metadata.httpStatusCode).toBe(204);
    const { items = [] } = await send(new GetApiKeysCommand({}));
    expect(items.map(({ tags }) => tags)).toEqual([{ a: "1", b: "3", c: "4" }]);
    await tag(arnOf("usageplans/P"), { a: "1" });
    expect(await send(new GetUsagePlanCommand({ usagePlanId: "P" }))).toMatchObject({ tags: { a: "1" } });
  });

  it.each([
    [arnOf("apikeys/bob"), { a: "1" }, "NotFoundException: Invalid API Key identifier specified"],
    [arnOf("usageplans/Q"), { a: "1" }, "NotFoundException: Invalid Usage Plan ID specified"],
    [arnOf("restapis/Api"), { a: "1" }, "BadRequestException: Invalid resourceArn specified"],
    [arnOf("apikeys/alice"), { "aws:a": "1" }, "BadRequestException: Invalid tags.aws:a specified"],
    [arnOf("apikeys/alice"), { a: "1,2" }, "BadRequestException: Invalid tags.a specified"],
  ])("refuses for the ARN %s the tags %j", async (arn, tags, message) => {
    expect(await failure(tag(arn, tags))).toBe(message);
  });
});
