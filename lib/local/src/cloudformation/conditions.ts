import { isObject, lookUp, Place, type Scope } from "./intrinsics.ts";

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
 * Whether an expression of the section Conditions holds. `path` is where it stands, for messages.
 * @throws StartupError when it is made of anything that is not emulated
 */
export function resolveCondition(expression: unknown, scope: Scope, path: string): boolean {
  return holds(expression, new Place(scope, path));
}

function holds(expression: unknown, at: Place): boolean {
  const name = isObject(expression) ? Object.keys(expression)[0] : undefined;
  if (!isObject(expression) || name === undefined) return at.refuse("expected a condition");
  return lookUp(conditions, name, at)(expression[name], at.inside(name));
}
