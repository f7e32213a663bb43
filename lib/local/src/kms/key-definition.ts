import * as v from "valibot";
import { notEmulated, type Resource, readProperties } from "../cloudformation/resource.ts";
import type { KeySpec } from "./key-ring.ts";

const Properties = v.looseObject({
  Enabled: v.optional(v.literal(true, "a disabled key")),
  EnableKeyRotation: v.optional(v.boolean(), false),
  KeySpec: v.optional(
    v.picklist(
      ["SYMMETRIC_DEFAULT", "HMAC_256"] satisfies KeySpec[],
      "must be SYMMETRIC_DEFAULT or HMAC_256",
    ),
    "SYMMETRIC_DEFAULT",
  ),
  KeyUsage: v.optional(v.string(), "ENCRYPT_DECRYPT"),
  MultiRegion: v.optional(v.literal(false, "a key in several Regions")),
  Origin: v.optional(v.literal("AWS_KMS", "must be AWS_KMS")),
});

const usages: Record<KeySpec, string> = {
  SYMMETRIC_DEFAULT: "ENCRYPT_DECRYPT",
  HMAC_256: "GENERATE_VERIFY_MAC",
};

/**
 * The spec of an AWS::KMS::Key. The key's policy may refer to what refers to the key, so it is not read here.
 *
 * @throws StartupError that names the resource and what is not emulated, or not possible on AWS
 */
export function readKeySpec(resource: Resource): KeySpec {
  const names = Object.keys(Properties.entries);
  const properties = Object.fromEntries(names.map((name) => [name, resource.property(name)]));
  const { KeySpec, KeyUsage, EnableKeyRotation } = readProperties(Properties, { ...resource, properties });
  if (KeyUsage !== usages[KeySpec]) {
    throw notEmulated(resource, `KeyUsage: must be ${usages[KeySpec]} for the KeySpec ${KeySpec}`);
  }
  if (EnableKeyRotation && KeySpec === "HMAC_256") {
    throw notEmulated(resource, "EnableKeyRotation: AWS does not rotate HMAC keys");
  }
  return KeySpec;
}
