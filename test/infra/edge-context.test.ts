import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../lib/infra/config.ts";

const read = (context: Record<string, unknown>) => readConfiguration(new App({ context }).node);

const domain = { domainName: "api.example.com", certificateArn: "arn:aws:acm:us-east-1:1:certificate/1" };
const regional = { domainName: "api.example.com", certificateArn: "arn:aws:acm:eu-west-1:1:certificate/1" };
const stream = {
  streamDomainName: "stream.example.com",
  streamCertificateArn: "arn:aws:acm:eu-west-1:1:certificate/2",
};
const webAclArn = "arn:aws:wafv2:us-east-1:111111111111:global/webacl/Edge/1";

describe("the context of the edge", () => {
  it("accepts a domain, a web ACL and the switches, as values and as text", () => {
    const context = {
      ...domain,
      webAclArn,
      edgeOnly: "true",
      firewall: true,
      firewallRequestsPerMinute: "10",
    };
    expect(read(context)).toMatchObject({
      edge: true,
      domain,
      webAclArn,
      edgeOnly: true,
      firewall: true,
      firewallRequestsPerMinute: 10,
    });
    expect(read({ edge: "false", ...regional, ...stream })).toMatchObject({ edge: false, domain: regional });
  });

  it("has a console where the edge is, unless the context switches it off", () => {
    const consoles = [{}, { console: "false" }, { edge: false }].map((context) => read(context).console);
    expect(consoles).toEqual([true, false, false]);
  });

  it("takes explorers that replace the public ones, and the documentation", () => {
    const context = { consoleExplorers: '{"eth":"http://127.0.0.1:5100/"}', consoleDocs: "/docs/" };
    expect(read(context)).toMatchObject({
      consoleExplorers: { eth: "http://127.0.0.1:5100" },
      consoleDocs: "/docs/",
    });
    expect(read(context).consoleExplorers).not.toHaveProperty("sol");
  });

  it.each<[Record<string, unknown>, string]>([
    [
      stream,
      "streamDomainName needs edge to be false: the edge serves the stream at domainName, under /stream",
    ],
    [
      regional,
      "certificateArn must be of us-east-1, because CloudFront takes no other; or set edge to false",
    ],
    [{ edge: false, edgeOnly: true }, "edgeOnly needs edge to be true"],
    [{ edge: false, webAclArn }, "webAclArn needs edge to be true"],
    [{ edge: false, firewall: true }, "firewall needs edge to be true"],
    [{ edge: false, console: true }, "console needs edge to be true"],
    [{ consoleClientId: "console" }, "issuer is missing: consoleClientId needs it"],
    [{ consoleScope: "profile" }, "consoleScope must be a list of scopes with openid"],
    [
      { consoleOrigins: ["https://id.example/token"] },
      "consoleOrigins.0 must be an exact origin such as https://app.example, not https://id.example/token",
    ],
    [
      { consoleExplorers: { moon: "https://a.example" } },
      'consoleExplorers.moon is not a network: "moon". The networks are eth, base, sol, bsc, avax',
    ],
    [{ consoleExplorers: { eth: "javascript:alert(1)" } }, "consoleExplorers.eth must be a URL of a site"],
    [{ consoleDocs: "//docs.example/" }, "consoleDocs must be an https URL, or a path such as /docs/"],
    [{ edge: "no" }, "edge is not JSON"],
    [{ originKeys: [] }, "originKeys must have a label"],
    [{ originKeys: '["A"]' }, "originKeys.0 must be 1 to 16 lower-case letters and digits"],
    [{ edgeOnly: 1 }, "edgeOnly must be true or false"],
    [
      { webAclArn: webAclArn.replace("us-east-1", "eu-west-1") },
      "webAclArn must be the ARN of a web ACL for CloudFront, in us-east-1",
    ],
    [
      { firewallRequestsPerMinute: 9 },
      "firewallRequestsPerMinute must be a whole number from 10 to 2000000000",
    ],
  ])("rejects %j", (context, message) => {
    expect(() => read(context)).toThrow(`Context ${message}`);
  });
});
