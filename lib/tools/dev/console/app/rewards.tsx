import { useEffect, useState } from "preact/hooks";
import type { Redemption, Reward } from "trading-terminal-client";
import { Panel } from "./controls.tsx";
import { useCall, useDesk } from "./desk.ts";
import { clock } from "./format.ts";

export function Rewards() {
  const { terminal, redemptionChanges } = useDesk();
  const { call } = useCall();
  const [rewards, setRewards] = useState<readonly Reward[]>();
  const [redemptions, setRedemptions] = useState<readonly Redemption[]>([]);

  // Reads again after each RewardRedeemed, which changes stock and points.
  useEffect(() => {
    void call(() => terminal.listRewards()).then((data) => setRewards(data?.rewards ?? []));
    void call(() => terminal.listRedemptions()).then((data) => setRedemptions(data?.redemptions ?? []));
  }, [terminal, redemptionChanges]);

  return (
    <Panel title="Rewards" area="rewards">
      <ul class="cards">
        {rewards?.map((reward) => (
          <RewardCard key={reward.id} reward={reward} />
        ))}
      </ul>
      {rewards?.length === 0 && <p class="empty">There is nothing to buy yet.</p>}
      {redemptions.length > 0 && (
        <ul class="rows" aria-label="What you have bought">
          {redemptions.map(({ redemptionId, name, cost, status, createdAt }) => (
            <li key={redemptionId} class="wallet">
              <strong>{name}</strong>
              <span class="badge">{status}</span>
              <span class="quiet">
                {cost} points, {clock(createdAt)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function RewardCard({ reward }: { reward: Reward }) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const { id: rewardId, name, cost, available, stock, userCanAfford } = reward;
  const isOffered = available && stock !== 0;
  async function redeem() {
    const bought = await call(() => terminal.redeemReward({ path: { rewardId }, body: {} }));
    if (bought) notify(`${name} is yours`);
  }
  return (
    <li class={isOffered ? "reward" : "reward gone"}>
      <span class="badge">{reward.type}</span>
      <h3>{name}</h3>
      <p>{reward.description}</p>
      <p class="terms">
        <strong>{cost} points</strong> <span class="quiet">{stockText(reward)}</span>
      </p>
      {isOffered && (
        <button type="button" disabled={isBusy || !userCanAfford} onClick={redeem}>
          {userCanAfford ? "Redeem" : "Too few points"}
        </button>
      )}
    </li>
  );
}

function stockText({ stock, available }: Reward): string {
  if (!available) return "not available";
  if (stock === 0) return "sold out";
  return stock < 0 ? "unlimited" : `${stock} left`;
}
