import { useState } from "preact/hooks";
import type { Redemption, Reward } from "trading-terminal-client";
import { Facts, Panel } from "./controls.tsx";
import { useCall, useDesk, useReading } from "./desk.ts";
import { amount, day } from "./format.ts";
import { LevelBar } from "./level.tsx";

export function Rewards() {
  const { terminal, profile, accountChanges } = useDesk();
  const { call } = useCall();
  const [rewards, setRewards] = useState<readonly Reward[]>();
  const [redemptions, setRedemptions] = useState<readonly Redemption[]>([]);
  const [points, setPoints] = useState<number>();

  // Reads again after each RewardRedeemed and ProfileUpdated, because they change stock and points.
  useReading(() => {
    void call(() => terminal.listRewards()).then((data) => data && setRewards(data.rewards));
    void call(() => terminal.listRedemptions()).then((data) => {
      if (data === undefined) return;
      setRedemptions(data.redemptions);
      setPoints(data.points);
    });
  }, [accountChanges]);

  return (
    <Panel
      title="Rewards"
      area="rewards"
      aside={points !== undefined && <span class="quiet">you have {amount(`${points}`, 15)} points</span>}
    >
      <Facts
        facts={[
          [
            `Level ${profile.Level}`,
            <span key="level">
              {profile.xpRemainingForNextLevel} XP to the next <LevelBar {...profile} />
            </span>,
          ],
          ["XP", `${amount(`${profile.Xp.total}`, 15)}, today ${amount(`${profile.Xp.daily}`, 15)}`],
          ["Days in a row with a trade", profile.tradeStreakCount],
        ]}
      />
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
                {amount(`${cost}`, 15)} points, {day(createdAt)}
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
  const points = amount(`${cost}`, 15);
  const isOffered = available && stock !== 0;
  const [isAsked, setAsked] = useState(false);
  async function redeem() {
    setAsked(false);
    const bought = await call(() => terminal.redeemReward({ path: { rewardId }, body: {} }));
    if (bought) notify(`${name} is ordered. An operator fulfils it`);
  }
  return (
    <li class={isOffered ? "reward" : "reward gone"}>
      <span class="badge">{reward.type}</span>
      <h3>{name}</h3>
      <p>{reward.description}</p>
      <p class="terms">
        <strong>{points} points</strong> <span class="quiet">{stockText(reward)}</span>
      </p>
      {isOffered && (
        <div class="buttons">
          <button
            type="button"
            disabled={isBusy || !userCanAfford}
            onClick={isAsked || cost === 0 ? redeem : () => setAsked(true)}
          >
            {userCanAfford ? (isAsked ? `Spend ${points} points` : "Redeem") : "Too few points"}
          </button>
          {isAsked && (
            <button type="button" onClick={() => setAsked(false)}>
              Keep them
            </button>
          )}
        </div>
      )}
    </li>
  );
}

function stockText({ stock, available }: Reward): string {
  if (!available) return "not available";
  if (stock === 0) return "sold out";
  return stock < 0 ? "unlimited" : `${stock} left`;
}
