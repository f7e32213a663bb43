import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Replaces `@aws-sdk/credential-provider-node` in the functions' bundles. Lambda provides credentials in the
 * environment, where the SDK looks first. The SDK never uses its other sources of credentials (files, SSO, containers),
 * but loading them would take nearly half of every cold start.
 */
export const defaultProvider = fromEnv;
