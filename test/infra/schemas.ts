import { loadAwsServiceSpecSync } from "@aws-cdk/aws-service-spec";
import type {
  PropertyType,
  ResourceProperties,
  Resource as ResourceSchema,
  SpecDatabase,
} from "@aws-cdk/service-spec-types";
import type { Template } from "./synthesized.ts";

let loaded: SpecDatabase | undefined;

/** Schemas of CloudFormation's registry, which take more than a second to load. */
const schemas = () => {
  loaded ??= loadAwsServiceSpecSync();
  return loaded;
};

function schemaOf(type: string): ResourceSchema | undefined {
  return schemas().lookup("resource", "cloudFormationType", "equals", type)[0];
}

/**
 * Lists the problems that CloudFormation would report for a template's resources, one line each. Accepts a value known
 * only at deployment as any type if it refers to something that exists.
 */
export function problemsIn({ Resources }: Template): string[] {
  return Object.entries(Resources).flatMap(([id, { Type, Properties, DependsOn }]) => {
    const schema = schemaOf(Type);
    // CloudFormation gives the properties of a custom resource to its function, and checks none.
    if (schema === undefined && !Type.startsWith("Custom::")) return [`${id}: ${Type} is unknown`];
    const absent = [DependsOn ?? []].flat().filter((other) => Resources[other] === undefined);
    return [
      ...absent.map((other) => `${id}: depends on ${other}, which is absent`),
      ...(schema ? inProperties(Properties ?? {}, schema.properties, id) : []),
      ...inReferences(Properties, Resources, id),
    ];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Matches an expression that CloudFormation replaces with a value of any type. */
function isIntrinsic(value: unknown): boolean {
  const [name, ...others] = isObject(value) ? Object.keys(value) : [];
  return others.length === 0 && (name === "Ref" || name?.startsWith("Fn::") === true);
}

function inProperties(values: Record<string, unknown>, properties: ResourceProperties, at: string): string[] {
  const missing = Object.entries(properties)
    .filter(([name, { required }]) => required && values[name] === undefined)
    .map(([name]) => `${at}: ${name} is missing`);
  const present = Object.entries(values).flatMap(([name, value]) => {
    const property = properties[name];
    return property === undefined
      ? [`${at}: ${name} is unknown`]
      : inValue(value, property.type, `${at}.${name}`);
  });
  return [...missing, ...present];
}

function inValue(value: unknown, type: PropertyType, at: string): string[] {
  if (isIntrinsic(value)) return [];
  const expected = (what: string) => [`${at}: expected ${what}, not ${JSON.stringify(value)}`];
  switch (type.type) {
    case "string":
      if (typeof value !== "string") return expected("text");
      return type.allowedValues?.includes(value) === false ? expected(type.allowedValues.join(", ")) : [];
    case "integer":
      if (!Number.isInteger(value)) return expected("a whole number");
      return type.allowedValues?.includes(value as number) === false
        ? expected(type.allowedValues.join(", "))
        : [];
    case "number":
      return typeof value === "number" ? [] : expected("a number");
    case "boolean":
      return typeof value === "boolean" ? [] : expected("true or false");
    case "date-time":
      return typeof value === "string" ? [] : expected("a time");
    case "null":
      return value === null ? [] : expected("null");
    case "json":
      return isObject(value) || Array.isArray(value) || typeof value === "string" ? [] : expected("JSON");
    case "tag":
      return inProperties(isObject(value) ? value : {}, tag, at);
    case "array":
      if (!Array.isArray(value)) return expected("a list");
      return value.flatMap((each, index) => inValue(each, type.element, `${at}.${index}`));
    case "map":
      if (!isObject(value)) return expected("an object");
      return Object.entries(value).flatMap(([key, each]) => inValue(each, type.element, `${at}.${key}`));
    case "ref": {
      if (!isObject(value)) return expected("an object");
      return inProperties(value, schemas().get("typeDefinition", type.reference.$ref).properties, at);
    }
    case "union": {
      // Omits the alternative JSON for objects and lists, because it would allow anything.
      const shapes = Array.isArray(value) ? ["array"] : isObject(value) ? ["ref", "map"] : [];
      const precise = type.types.filter((each) => shapes.includes(each.type));
      const problems = (precise.length > 0 ? precise : type.types).map((each) => inValue(value, each, at));
      // Reports the problems of the alternative that has the fewest problems.
      return problems.reduce((best, each) => (each.length < best.length ? each : best));
    }
  }
}

const text = { type: { type: "string" }, required: true } as const;
const tag: ResourceProperties = { Key: text, Value: text };

/** Finds references to missing resources, and to attributes that the resource's type lacks. */
function inReferences(value: unknown, resources: Template["Resources"], at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => inReferences(each, resources, at));
  if (!isObject(value)) return [];
  const { Ref, "Fn::GetAtt": attribute } = value;
  if (typeof Ref === "string" && isIntrinsic(value))
    return Ref.startsWith("AWS::") || resources[Ref] ? [] : [`${at}: ${Ref} is absent`];
  if (attribute !== undefined) {
    const [id, name] = attribute as [string, string];
    const target = resources[id];
    if (target === undefined) return [`${at}: ${id} is absent`];
    return schemaOf(target.Type)?.attributes[name] ? [] : [`${at}: ${target.Type} has no attribute ${name}`];
  }
  return Object.values(value).flatMap((each) => inReferences(each, resources, at));
}
