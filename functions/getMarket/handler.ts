import * as schemas from "../../lib/api/market-operations.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import { rest } from "../../lib/runtime/rest.ts";

export const handler = rest("getMarket", schemas.getMarket, async () => {
  throw new DomainError("TOKEN_NOT_FOUND", "No market is known yet");
});
