import { fromEnv } from "@aws-sdk/credential-provider-env";
import { externalDataInterceptor, getHomeDir } from "@smithy/core/config";

// Spares each cold start a search for files in which the SDK would look for settings, and which no function has.
for (const file of ["config", "credentials"])
  externalDataInterceptor.interceptFile(`${getHomeDir()}/.aws/${file}`, "");

/**
 * Replaces `@aws-sdk/credential-provider-node` in the functions' bundles. Lambda provides credentials in the
 * environment, where the SDK looks first. The SDK never uses its other sources of credentials (files, SSO, containers),
 * but loading them would take nearly half of every cold start.
 */
export const defaultProvider = fromEnv;
