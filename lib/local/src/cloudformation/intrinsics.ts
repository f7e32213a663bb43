import { StartupError } from "../startup-error.ts";

/** What an expression of one stack may refer to. Each throws StartupError when there is no such thing. */
export type Scope = {
  /** A parameter, a resource or a pseudo parameter; undefined is AWS::NoValue. */
  ref(name: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  /** An output that some stack exports under that name. */
  imported(name: string): unknown;
  condition(name: string): boolean;
};

type Intrinsic = (argument: unknown, at: Place) => unknown;

/** A spot in a template: what it may refer to, and how a failure names it. */
export class Place {
  readonly scope: Scope;
  readonly path: string;

  constructor(scope: Scope, path: string) {
    this.scope = scope;
    this.path = path;
  }

  inside(key: string | number): Place {
    return new Place(this.scope, `${this.path}.${key}`);
  }

  refuse(why: string): never {
    throw new StartupError(`${this.path}: ${why}`);
  }

  text(argument: unknown): string {
    const value = evaluate(argument, this);
    return ["string", "number", "boolean"].includes(typeof value)
      ? String(value)
      : this.refuse(`expected text, not ${JSON.stringify(value)}`);
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

  "Fn::If": (argument, at) => {
    const [condition, whenTrue, whenFalse] = at.list(argument, 3);
    return evaluate(at.scope.condition(at.text(condition)) ? whenTrue : whenFalse, at);
  },
};

/**
 * A value of a template with every intrinsic replaced. `path` is where it stands, for messages.
 * @throws StartupError when it holds an intrinsic that is not emulated
 */
export function resolve(value: unknown, scope: Scope, path: string): unknown {
  return evaluate(value, new Place(scope, path));
}

export function evaluate(value: unknown, at: Place): unknown {
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

/** `Ref` alone may also be a property's name; the others cannot be anything else. */
function intrinsicIn(value: Record<string, unknown>, at: Place): string | undefined {
  const keys = Object.keys(value);
  const name = keys.find((key) => key.startsWith("Fn::") || (key === "Ref" && keys.length === 1));
  if (name !== undefined && keys.length > 1) at.refuse(`${name} must stand alone`);
  return name;
}

/** The entry of that name; anything else is not emulated. */
export function lookUp<Found>(table: Record<string, Found>, name: string, at: Place): Found {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  return found ?? at.refuse(`${name} is not emulated`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
