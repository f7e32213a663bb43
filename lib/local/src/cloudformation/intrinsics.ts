import { StartupError } from "../startup-error.ts";

/** Names in the scope of a stack's expressions. Each member throws a StartupError for an unknown name. */
export type Scope = {
  /** Resolves a `Ref` to a parameter, a resource or a pseudo parameter. Undefined stands for AWS::NoValue. */
  ref(name: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  /** Reads the output that some stack exports under this name. */
  imported(name: string): unknown;
  /** Reads an output of any stack by its name in the template. */
  output(stackName: string, name: string): unknown;
  condition(name: string): boolean;
};

type Intrinsic = (argument: unknown, at: Place) => unknown;

/** A place in a template, with the names in scope and its path for error messages. */
class Place {
  readonly scope: Scope;
  readonly path: string;

  constructor(scope: Scope, path: string) {
    this.scope = scope;
    this.path = path;
  }

  inside(key: string | number): Place {
    return new Place(this.scope, `${this.path}.${key}`);
  }

  refuse(reason: string): never {
    throw new StartupError(`${this.path}: ${reason}`);
  }

  text(argument: unknown): string {
    const value = evaluate(argument, this);
    return ["string", "number", "boolean"].includes(typeof value)
      ? String(value)
      : this.refuse(`expected text, not ${JSON.stringify(value)}`);
  }

  object(argument: unknown): Record<string, unknown> {
    return isObject(argument) ? argument : this.refuse("expected an object");
  }

  list(argument: unknown, length?: number): unknown[] {
    if (!Array.isArray(argument)) return this.refuse("expected a list");
    if (length !== undefined && argument.length !== length) this.refuse(`expected ${length} elements`);
    return argument;
  }
}

const intrinsics: Record<string, Intrinsic> = {
  Ref: (name, at) => at.scope.ref(at.text(name)),

  "Fn::GetAtt": (argument, at) => {
    const [logicalId, attribute] =
      typeof argument === "string"
        ? [argument.slice(0, argument.indexOf(".")), argument.slice(argument.indexOf(".") + 1)]
        : at.list(argument, 2);
    return at.scope.attribute(at.text(logicalId), at.text(attribute));
  },

  "Fn::Join": (argument, at) => {
    const [separator, parts] = at.list(argument, 2);
    return at
      .list(evaluate(parts, at))
      .map((part) => at.text(part))
      .join(at.text(separator));
  },

  "Fn::Split": (argument, at) => {
    const [separator, text] = at.list(argument, 2);
    return at.text(text).split(at.text(separator));
  },

  "Fn::Select": (argument, at) => {
    const [index, choices] = at.list(argument, 2);
    const chosen = at.list(evaluate(choices, at))[Number(at.text(index))];
    return chosen === undefined ? at.refuse(`there is no element ${at.text(index)}`) : chosen;
  },

  "Fn::Sub": (argument, at) => {
    const [text, variables] = typeof argument === "string" ? [argument, {}] : at.list(argument, 2);
    return at.text(text).replace(/\$\{(!?)([^}]+)\}/g, (_, literal, name) => {
      if (literal) return `\${${name}}`;
      if (isObject(variables) && Object.hasOwn(variables, name)) return at.text(variables[name]);
      return at.text(name.includes(".") ? { "Fn::GetAtt": name } : { Ref: name });
    });
  },

  "Fn::ImportValue": (name, at) => at.scope.imported(at.text(name)),

  "Fn::GetStackOutput": (argument, at) => {
    const { StackName, OutputName, Region = { Ref: "AWS::Region" }, ...others } = at.object(argument);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) at.refuse(`${unknown} is not emulated`);
    if (at.text(Region) !== at.text({ Ref: "AWS::Region" })) at.refuse("other Regions are not emulated");
    return at.scope.output(at.text(StackName), at.text(OutputName));
  },

  "Fn::If": (argument, at) => {
    const [condition, whenTrue, whenFalse] = at.list(argument, 3);
    return evaluate(at.scope.condition(at.text(condition)) ? whenTrue : whenFalse, at);
  },
};

/**
 * Replaces every intrinsic in a value of a template.
 * @param path the value's place in the template, for messages
 * @throws {StartupError} if it contains an intrinsic that is not emulated
 */
export function resolve(value: unknown, scope: Scope, path: string): unknown {
  return evaluate(value, new Place(scope, path));
}

/** Lists the names of exports that a value of a template imports, without resolving them. */
export function importsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(importsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, argument]) =>
    key === "Fn::ImportValue" ? [argument] : importsIn(argument),
  );
}

/** Lists the names that a value of a template refers to, without resolving them. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, argument]) => {
    const [first] = [argument].flat().map(String);
    if (key === "Ref" || key === "Fn::GetAtt") return [first?.split(".", 1)[0] ?? ""];
    if (key !== "Fn::Sub") return referencesIn(argument);
    const inText = [...(first ?? "").matchAll(/\$\{([\w:]+)/g)].map(([, name = ""]) => name);
    return [...inText, ...referencesIn(argument)];
  });
}

const conditions: Record<string, (argument: unknown, at: Place) => boolean> = {
  Condition: (name, at) => at.scope.condition(at.text(name)),
  "Fn::Equals": (argument, at) => {
    const [left, right] = at.list(argument, 2);
    return at.text(left) === at.text(right);
  },
  "Fn::And": (argument, at) => at.list(argument).every((each) => holds(each, at)),
  "Fn::Or": (argument, at) => at.list(argument).some((each) => holds(each, at)),
  "Fn::Not": (argument, at) => !holds(at.list(argument, 1)[0], at),
};

/**
 * Evaluates an expression of the section Conditions.
 * @param path the expression's place in the template, for messages
 * @throws {StartupError} if it contains anything that is not emulated
 */
export function resolveCondition(expression: unknown, scope: Scope, path: string): boolean {
  return holds(expression, new Place(scope, path));
}

function holds(expression: unknown, at: Place): boolean {
  const name = isObject(expression) ? Object.keys(expression)[0] : undefined;
  if (!isObject(expression) || name === undefined) return at.refuse("expected a condition");
  return lookUp(conditions, name, at)(expression[name], at.inside(name));
}

function evaluate(value: unknown, at: Place): unknown {
  if (Array.isArray(value)) {
    return value.map((each, index) => evaluate(each, at.inside(index))).filter((each) => each !== undefined);
  }
  if (!isObject(value)) return value;
  const name = intrinsicIn(value, at);
  if (name !== undefined) return lookUp(intrinsics, name, at)(value[name], at.inside(name));
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, evaluate(each, at.inside(key))])
      .filter(([, each]) => each !== undefined),
  );
}

/** Finds the intrinsic's name. `Ref` counts only if it stands alone: with other keys, it is an ordinary property. */
function intrinsicIn(value: Record<string, unknown>, at: Place): string | undefined {
  const keys = Object.keys(value);
  const name = keys.find((key) => key.startsWith("Fn::") || (key === "Ref" && keys.length === 1));
  if (name !== undefined && keys.length > 1) at.refuse(`${name} must stand alone`);
  return name;
}

/** Looks up an intrinsic or a condition; unknown names are not emulated. */
function lookUp<Found>(table: Record<string, Found>, name: string, at: Place): Found {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  return found ?? at.refuse(`${name} is not emulated`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
