/** A resource of a stack. Properties are resolved when they are asked for, each once. */
export type Resource = {
  stackName: string;
  logicalId: string;
  type: string;
  property(name: string): unknown;
  properties(): Record<string, unknown>;
};

/** What the intrinsics `Ref` and `Fn::GetAtt` give for a resource of one type. */
export type ResourceType = {
  ref(resource: Resource): unknown;
  attributes?: Record<string, (resource: Resource) => unknown>;
};

/** By CloudFormation type. A type that is not in it stops the runner. */
export type ResourceTypes = Readonly<Record<string, ResourceType>>;

/** The name that CloudFormation would make up: it stays the same from run to run, and with it the data. */
export function generatedName({ stackName, logicalId }: Resource): string {
  return `${stackName}-${logicalId}`;
}

/** The name that the template gives in this property, else the generated one. */
export function nameFrom(property: string): (resource: Resource) => string {
  return (resource) => String(resource.property(property) ?? generatedName(resource));
}
