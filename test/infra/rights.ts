import { type Statement, statementsOfRole } from "./statements.ts";
import { functionsOf, logicalIdOf, propertiesOf, type Templates } from "./synthesized.ts";

/**
 * Prints a template's value as text, with references as `<Resource>` or `<Resource.Attribute>`, and without
 * CDK's hashes.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [[kind, content] = []] = Object.entries(value as Record<string, unknown>);
  switch (kind) {
    case "Ref":
      return `<${nameOf(content as string)}>`;
    case "Fn::GetAtt":
      return `<${(content as string[]).map(nameOf).join(".")}>`;
    case "Fn::Join":
      return [(content as [string, unknown])[1]].flat().map(textOf).join("");
    case "Fn::ImportValue":
      return `<${nameOf((content as string).replace(/:ExportsOutput(Ref|FnGetAtt)/, ":"))}>`;
    case "Fn::GetStackOutput": {
      const { StackName, OutputName } = content as Record<string, string>;
      return `<${StackName}:${nameOf(OutputName ?? "")}>`;
    }
    default:
      return JSON.stringify(value);
  }
}

const nameOf = (id: string) => id.replace(/^AWS::/, "").replaceAll(/(?<!^)[0-9A-F]{8}/g, "");

/** Prints a condition with its keys and values sorted, one line for each key. */
const linesOf = (condition: unknown) =>
  Object.entries((condition ?? {}) as Record<string, Record<string, unknown>>).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, value]) => {
      const values = [value].flat().map((each) => textOf(each));
      return `if ${operator} ${key}: ${values.sort().join(" ")}`;
    }),
  );

const statementText = ({ Effect, Action, Resource, Condition }: Statement) =>
  [
    `${Effect.toLowerCase()} ${Action.toSorted().join(" ")}`,
    ...Resource.map((resource) => `  on ${textOf(resource)}`).sort(),
    ...linesOf(Condition)
      .map((line) => `  ${line}`)
      .sort(),
  ].join("\n");

type Permission = { FunctionName: unknown; Principal: string; SourceArn: unknown };

/**
 * Prints the rights and settings of each function: memory, time, environment, invokers, and all statements of its role.
 */
export function rightsText({ api }: Pick<Templates, "api">): string {
  const permissions = propertiesOf<Permission>(api, "AWS::Lambda::Permission");
  const blocks = Object.entries(functionsOf({ api })).map(([name, properties]) => {
    const { MemorySize, Timeout, Environment, Role } = properties;
    const variables = Object.entries(Environment?.Variables ?? {});
    const own = JSON.stringify({ "Fn::GetAtt": [logicalIdOf(api, name), "Arn"] });
    const invokers = permissions.filter(({ FunctionName }) => JSON.stringify(FunctionName) === own);
    const lines = [
      `${MemorySize} MB, ${Timeout} s`,
      ...variables.map(([variable, value]) => `${variable}=${textOf(value)}`).sort(),
      ...invokers.map(({ Principal, SourceArn }) => `invoked by ${Principal}: ${textOf(SourceArn)}`).sort(),
      ...statementsOfRole(api, Role["Fn::GetAtt"][0]).map(statementText).sort(),
    ];
    return `${name}\n${lines.join("\n").replaceAll(/^/gm, "  ")}\n`;
  });
  return blocks.sort().join("\n");
}
