import * as v from "valibot";
import { namedProperties, notEmulated, type Resource, readProperties } from "../cloudformation/resource.ts";
import { type KeySpec, usageOfSpec } from "./key-ring.ts";

const specs = Object.keys(usageOfSpec) as KeySpec[];

const Properties = v.looseObject({
  Enabled: v.optional(v.literal(true, "a disabled key")),
  EnableKeyRotation: v.optional(v.boolean(), false),
  KeySpec: v.optional(v.picklist(specs, `must be one of ${specs.join(", ")}`), "SYMMETRIC_DEFAULT"),
  KeyUsage: v.optional(v.string(), "ENCRYPT_DECRYPT"),
  MultiRegion: v.optional(v.literal(false, "a key in several Regions")),
  Origin: v.optional(v.literal("AWS_KMS", "must be AWS_KMS")),
});

/**
 * Reads the spec of an AWS::KMS::Key, but not its policy, which may refer to resources that refer to the key.
 *
 * @throws {StartupError} if something is not emulated or not possible on AWS; the message names the resource
 */
export function readKeySpec(resource: Resource): KeySpec {
  const properties = namedProperties(resource, Properties);
  const { KeySpec, KeyUsage, EnableKeyRotation } = readProperties(Properties, { ...resource, properties });
  if (KeyUsage !== usageOfSpec[KeySpec]) {
    throw notEmulated(resource, `KeyUsage: must be ${usageOfSpec[KeySpec]} for the KeySpec ${KeySpec}`);
  }
  if (EnableKeyRotation && KeySpec !== "SYMMETRIC_DEFAULT") {
    throw notEmulated(resource, `EnableKeyRotation: AWS does not rotate keys of the KeySpec ${KeySpec}`);
  }
  return KeySpec;
}
