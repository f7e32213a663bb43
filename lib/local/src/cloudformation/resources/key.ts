import { generatedName, type Resource, type ResourceTypes } from "../resource-type.ts";

/** A key's id is made at random, once, and kept with its secret. */
export function keyTypes(keyNamed: (name: string) => { keyId: string; arn: string }): ResourceTypes {
  const key = (resource: Resource) => keyNamed(generatedName(resource));
  return {
    "AWS::KMS::Key": {
      ref: (resource) => key(resource).keyId,
      attributes: {
        KeyId: (resource) => key(resource).keyId,
        Arn: (resource) => key(resource).arn,
      },
    },
  };
}
