import { describe, expect, it } from "vitest";
import type { SignedMessage } from "../../../../lib/chains/sol/rules/family.ts";
import { signedMessagesOf } from "../../../../lib/chains/sol/rules/ledger.ts";

const message = (purpose: SignedMessage["purpose"], hash: string, lastValidBlockHeight: number) => ({
  purpose,
  hash,
  signatures: 1,
  mostFeeLamports: 1n,
  lastValidBlockHeight,
});

describe("signedMessagesOf", () => {
  it("tells the child's swaps from those of its siblings, and from clears", () => {
    const own = {
      messages: [message("swap", "a", 150), message("swap", "b", 160), message("clear", "c", 170)],
    };
    const siblings = [
      { messages: [message("swap", "d", 155), message("clear", "e", 171)] },
      { messages: [] },
    ];
    expect(signedMessagesOf(own, siblings)).toEqual({
      own: [
        { signature: "a", lastHeight: 150 },
        { signature: "b", lastHeight: 160 },
      ],
      siblings: ["d"],
      clears: [
        { signature: "c", lastHeight: 170 },
        { signature: "e", lastHeight: 171 },
      ],
    });
  });

  it("is undefined before a swap is signed", () => {
    expect(signedMessagesOf({ messages: [message("clear", "c", 170)] }, [])).toBeUndefined();
  });
});
