import { type GatewayResponse, isSendable, type Pair, withOverrides } from "../http/messages.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import type { MappingResult, MappingTemplate, MappingVariables } from "./mapping-template.ts";

export type MockIntegration = {
  type: "MOCK";
  /** Decides whether a body without a template for its type passes unchanged or is refused with a 415. */
  passthrough: "WHEN_NO_MATCH" | "WHEN_NO_TEMPLATES" | "NEVER";
  /** Template for application/json. */
  requestTemplate: MappingTemplate | undefined;
  responses: readonly MockResponse[];
};

export type MockResponse = {
  status: number;
  /** Matches the status that selects this response. A response without a pattern is the default. */
  pattern: RegExp | undefined;
  headers: readonly Pair[];
  /** Template for application/json. */
  template: MappingTemplate | undefined;
};

const json = "application/json";

/**
 * Answers without a function: the request template renders a status, which selects the response.
 *
 * @throws {GatewayFailure} if no response matches or a template fails
 */
export function mockResponse(
  integration: MockIntegration,
  body: string,
  contentType: string | undefined,
  variables: MappingVariables,
): GatewayResponse {
  const status = readStatus(mappedRequest(integration, body, contentType, variables));
  const response =
    integration.responses.find(({ pattern }) => pattern?.test(status)) ??
    integration.responses.find(({ pattern }) => pattern === undefined);
  if (!response) {
    throw new GatewayFailure("API_CONFIGURATION_ERROR", {
      reason: `no integration response for status ${status}`,
    });
  }
  const { text, override } = render(response.template, variables) ?? { text: "", override: { header: {} } };
  const overrides = Object.entries(override.header)
    .map(([name, value]): Pair => [name, String(value)])
    .filter(isSendable);
  return {
    status: readStatusOverride(override.status) ?? response.status,
    headers: withOverrides([["Content-Type", json], ...response.headers], overrides),
    body: Buffer.from(text),
  };
}

function mappedRequest(
  { requestTemplate, passthrough }: MockIntegration,
  body: string,
  contentType: string | undefined,
  variables: MappingVariables,
): string {
  const mediaType = (contentType ?? json).split(/[,;]/, 1)[0]?.trim().toLowerCase();
  const template = mediaType === json ? requestTemplate : undefined;
  if (template) return render(template, variables)?.text ?? "";
  if (passthrough === "NEVER" || (passthrough === "WHEN_NO_TEMPLATES" && requestTemplate)) {
    throw new GatewayFailure("UNSUPPORTED_MEDIA_TYPE");
  }
  return body;
}

function render(
  template: MappingTemplate | undefined,
  variables: MappingVariables,
): MappingResult | undefined {
  try {
    return template?.(variables);
  } catch (error) {
    throw new GatewayFailure("DEFAULT_5XX", {
      status: 500,
      reason: `a mapping template failed: ${error}`,
    });
  }
}

/** Reads the status. Recorded: the mapped request need not be JSON; `{ statusCode: 204 }` is enough. */
function readStatus(mapped: string): string {
  const [, status] =
    /^\s*\{(?:.*[,\s])?(?:statusCode|"statusCode"|'statusCode')\s*:\s*(\d{3})\b.*\}\s*$/s.exec(mapped) ?? [];
  if (status !== undefined) return status;
  throw new GatewayFailure("DEFAULT_5XX", {
    status: 500,
    reason: "the mapped request of the mock has no statusCode",
  });
}

/** Reads an override of the status. Recorded: an invalid one is ignored. */
function readStatusOverride(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 200 && value < 600
    ? value
    : undefined;
}
