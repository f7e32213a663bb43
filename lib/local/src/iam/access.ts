import { arn } from "../account.ts";
import type { Template } from "../cloudformation/assembly.ts";
import { reading } from "../cloudformation/resource.ts";
import { functionArn, functionName, generatedName, resourceTypes } from "../cloudformation/resource-types.ts";
import { resolveStacks } from "../cloudformation/resources.ts";
import { type AccessRequest, denialOf, readTemplatePolicy } from "./caller.ts";
import { createCallers } from "./callers.ts";
import { readVpcEndpoints } from "./vpc-endpoints.ts";

export type Access = {
  /** Resolves a resource by logical id: `ref` gives what `Ref` would, `arn` its ARN. */
  ref(logicalId: string): string;
  arn(logicalId: string): string;
  /** Returns AWS's message for refusing a function's request. Undefined if it is allowed. */
  denial(
    functionName: string,
    request: Omit<AccessRequest, "values"> & Partial<AccessRequest>,
  ): string | undefined;
};

/**
 * Computes what the functions of synthesized stacks may do, without running them, from the policies of roles, keys and
 * endpoints.
 *
 * @throws {StartupError} if the stacks use something that is not emulated
 */
export function readAccess(templates: readonly { name: string; template: object }[]): Access {
  const stacks = templates.map(({ name, template }) => {
    const { Resources } = template as Template;
    return { name, template: { Parameters: {}, Conditions: {}, Outputs: {}, ...template, Resources } };
  });
  const types = resourceTypes((key) => ({
    keyId: generatedName(key),
    arn: arn("kms", `key/${generatedName(key)}`),
  }));
  const resources = resolveStacks(stacks, types);
  const endpointsOf = readVpcEndpoints(resources);
  const functions = resources.ofType("AWS::Lambda::Function").map((each) => {
    const { SubnetIds = [] } = (each.property("VpcConfig") ?? {}) as { SubnetIds?: string[] };
    return {
      name: functionName(each),
      arn: functionArn(each),
      roleArn: String(each.property("Role")),
      endpoints: endpointsOf(SubnetIds),
    };
  });
  const callers = createCallers(functions, resources);
  const keyPolicies = new Map(
    resources
      .ofType("AWS::KMS::Key")
      .map((key) => [
        types["AWS::KMS::Key"]?.attributes?.Arn?.(key),
        reading(key, () => readTemplatePolicy(key.property("KeyPolicy"))),
      ]),
  );

  function find(logicalId: string) {
    const resource = resources.all.find((each) => each.logicalId === logicalId);
    const type = resource && types[resource.type];
    if (resource === undefined || type === undefined) throw new Error(`There is no resource ${logicalId}`);
    return { resource, type };
  }

  return {
    ref(logicalId) {
      const { resource, type } = find(logicalId);
      return String(type.ref(resource));
    },
    arn(logicalId) {
      const { resource, type } = find(logicalId);
      return String(type.attributes?.Arn?.(resource));
    },
    denial: (name, { values = {}, ...request }) =>
      denialOf(callers.of(name), { ...request, values }, keyPolicies.get(request.resource)),
  };
}
