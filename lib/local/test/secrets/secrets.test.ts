import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { type Resources, resolveStacks } from "../../src/cloudformation/resources.ts";
import { openSecrets } from "../../src/secrets/secrets.ts";
import { memoryStore, type Store } from "../../src/storage/store.ts";

/** Resolves the properties of a resource that refers to the secret of another stack. */
function referring(
  reference: (arn: object) => object | string,
  secret: object = { GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 40 } },
  store: Store = memoryStore,
) {
  const template = (Resources: object, Outputs: object = {}) =>
    ({ Resources, Outputs, Parameters: {}, Conditions: {} }) as never;
  const arn = { "Fn::GetStackOutput": { StackName: "A", OutputName: "Arn" } };
  const Properties = { TopicName: reference(arn) };
  const stacks = [
    {
      name: "A",
      template: template(
        { Secret: { Type: "AWS::SecretsManager::Secret", Properties: secret } },
        { Arn: { Value: { Ref: "Secret" } } },
      ),
    },
    { name: "B", template: template({ Log: { Type: "AWS::Logs::LogGroup", Properties } }) },
  ];
  const read: Resources = resolveStacks(
    stacks,
    resourceTypes(() => ({ keyId: "k", arn: "a" })),
    openSecrets(() => read, store),
  );
  return () => read.ofType("AWS::Logs::LogGroup")[0]?.property("TopicName");
}

const text = (suffix: string) => (arn: object) => ({
  "Fn::Join": ["", ["before {{resolve:secretsmanager:", arn, `${suffix}}} after`]],
});

describe("a dynamic reference to a secret", () => {
  it.each(["", ":SecretString", ":SecretString:::"])(
    "replaces a reference with the ending %j by a generated text",
    (suffix) => {
      const read = referring(text(suffix));
      expect(read()).toMatch(/^before [A-Za-z0-9]{40} after$/);
      expect(read()).toBe(read());
    },
  );

  it("keeps a generated secret after a restart", () => {
    const saved = new Map<string, unknown>();
    const store: Store = {
      load: <Content>(name: string) => structuredClone(saved.get(name)) as Content | undefined,
      save: (name, content) => void saved.set(name, structuredClone(content)),
    };
    const before = referring(text(""), undefined, store)();
    expect(referring(text(""), undefined, store)()).toBe(before);
    expect(referring(text(""))()).not.toBe(before);
  });

  it("reads a key in a secret's JSON", () => {
    const secret = { SecretString: '{"user":"alice"}' };
    expect(referring(text(":SecretString:user::"), secret)()).toBe("before alice after");
  });

  it.each<[string, (arn: object) => object | string, object | undefined, RegExp]>([
    ["another service", () => "{{resolve:ssm:name}}", undefined, /resolve:ssm/],
    ["a version", text(":SecretString:::1"), undefined, /not emulated/],
    ["an unknown secret", () => "{{resolve:secretsmanager:name}}", undefined, /name is not emulated/],
    [
      "a template of a secret",
      text(""),
      { GenerateSecretString: { SecretStringTemplate: "{}", GenerateStringKey: "k" } },
      /SecretStringTemplate/,
    ],
  ])("stops the runner if a reference names %s", (_, reference, secret, message) => {
    expect(referring(reference, secret)).toThrow(message);
  });
});
