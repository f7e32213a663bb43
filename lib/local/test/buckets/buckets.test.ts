import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBuckets } from "../../src/buckets/buckets.ts";
import { isDeploymentFunction, readDeployments } from "../../src/buckets/deployments.ts";
import { type GatewayRequest, header } from "../../src/http/messages.ts";
import { attribute, resourcesOf } from "../cloudformation/stack.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const folder = temporaryFolder();
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
for (const name of ["site/parts", "values"]) mkdirSync(join(folder, name), { recursive: true });
write("secret.json", "{}");
write("site/index.html", "<p>");
write("site/parts/a-1.js", "1");
write("values/config.json", '{"id":"<<marker:0xbaba:0>>"}');

const deployment = {
  ServiceToken: attribute("Copies", "Arn"),
  SourceBucketNames: ["assets"],
  SourceObjectKeys: ["site.zip"],
  DestinationBucketName: { Ref: "Files" },
  DestinationBucketKeyPrefix: "app",
};
const code = { Type: "AWS::Lambda::Function", Properties: { Runtime: "python3.13" } };

const stackOf = (...deployments: object[]) =>
  resourcesOf({
    Files: { Type: "AWS::S3::Bucket" },
    Copies: code,
    Other: code,
    ...Object.fromEntries(
      deployments.map((changes, at) => [
        `Deployment${at}`,
        { Type: "Custom::CDKBucketDeployment", Properties: { ...deployment, ...changes } },
      ]),
    ),
  });

const assetFolder = (key: string) =>
  ["site", "values"].includes(key.replace(".zip", "")) ? join(folder, key.replace(".zip", "")) : undefined;

function bucket(...deployments: object[]) {
  const resources = stackOf(...deployments);
  const [opened] = openBuckets(resources, readDeployments(resources, { assetFolder }));
  return {
    domainName: opened?.domainName,
    get(target: string, headers: GatewayRequest["headers"] = []) {
      const request = { method: "GET", target, headers, body: Buffer.of(), sourceIp: "127.0.0.1" };
      const answer = opened?.answer(request) ?? { status: 0, headers: [], body: Buffer.of() };
      return { ...answer, text: String(answer.body) };
    },
  };
}

describe("a bucket", () => {
  it("has the files of a deployment below its prefix, with their types", () => {
    const { domainName, get } = bucket({});
    expect(domainName).toBe("s-files.s3.us-east-1.amazonaws.com");
    const [page, part] = [get("/app/index.html"), get("/app/parts/a-1.js")];
    expect([page.text, header(page, "content-type")]).toEqual(["<p>", "text/html"]);
    expect([part.text, header(part, "content-type")]).toEqual(["1", "text/javascript"]);
    expect(header(part, "cache-control")).toBeUndefined();
  });

  it.each([
    "/index.html",
    "/app",
    "/app/",
    "/app/parts",
    "/app/../secret.json",
    "/app/%2e%2e/secret.json",
    "/app/%",
    "/app/%00",
  ])("refuses %s", (target) => {
    expect(bucket({}).get(target)).toMatchObject({
      status: 403,
      text: expect.stringContaining("AccessDenied"),
    });
  });

  it("answers 304 to a request that names the file's entity tag, even as a weak one", () => {
    const { get } = bucket({});
    const etag = header(get("/app/index.html"), "etag") ?? "";
    for (const known of [etag, `W/${etag}`])
      expect(get("/app/index.html", [["If-None-Match", known]]).status).toBe(304);
    expect(get("/app/index.html", [["If-None-Match", '"other"']]).status).toBe(200);
  });

  it("gives all files of a deployment its content type", () => {
    const SystemMetadata = { "content-type": "text/markdown; charset=utf-8" };
    expect(header(bucket({ SystemMetadata }).get("/app/index.html"), "content-type")).toBe(
      "text/markdown; charset=utf-8",
    );
  });

  it("takes each file from the deployment that copies it, with that deployment's cache control", () => {
    const parts = {
      Exclude: ["*"],
      Include: ["parts/*"],
      SystemMetadata: { "cache-control": "max-age=1, immutable" },
    };
    const rest = { Exclude: ["parts/*"], SystemMetadata: { "cache-control": "no-cache" } };
    const { get } = bucket(parts, rest);
    const cached = ["/app/parts/a-1.js", "/app/index.html"].map((path) => header(get(path), "cache-control"));
    expect(cached).toEqual(["max-age=1, immutable", "no-cache"]);
    expect(bucket(parts).get("/app/index.html").status).toBe(403);
  });

  it("replaces markers by values of the stack, as text or inside JSON", () => {
    const values = (jsonEscape: boolean) => ({
      SourceBucketNames: ["assets", "assets"],
      SourceObjectKeys: ["site.zip", "values.zip"],
      SourceMarkers: [{}, { "<<marker:0xbaba:0>>": 'a"$&' }],
      SourceMarkersConfig: [{}, { jsonEscape }],
    });
    expect(bucket(values(true)).get("/app/config.json").text).toBe('{"id":"a\\"$&"}');
    expect(bucket(values(false)).get("/app/config.json").text).toBe('{"id":"a"$&"}');
  });

  it("notices a changed file", () => {
    const { get } = bucket({});
    write("site/changing.json", "1");
    expect(get("/app/changing.json").text).toBe("1");
    write("site/changing.json", "2");
    expect(get("/app/changing.json").text).toBe("2");
  });
});

describe("a deployment of files", () => {
  it("marks the function that would copy them, which need not run", () => {
    const resources = stackOf({});
    const marked = resources
      .ofType("AWS::Lambda::Function")
      .filter((each) => isDeploymentFunction(resources, each));
    expect(marked.map(({ logicalId }) => logicalId)).toEqual(["Copies"]);
  });

  it.each([
    [{ SourceObjectKeys: ["other.zip"] }, "the source other.zip, which is no folder"],
    [{ Extract: false }, "Extract"],
    [{ SystemMetadata: { "content-language": "en" } }, "content-language"],
  ])("stops the runner for %j", (changes, message) => {
    expect(() => bucket(changes)).toThrow(message);
  });
});
