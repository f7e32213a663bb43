import { useState } from "preact/hooks";
import { Field, Form } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { browserName } from "./browser-name.ts";
import { NoPush, pushProblem, rememberDevice, subscribe } from "./this-browser.ts";
import { type Device, type NewDevice, refusalText } from "./use-devices.ts";
import { allWanted, type Wants, WantsChoices } from "./wants.tsx";

type BrowserProps = {
  /** The service's key. Undefined if the operators have made none. */
  pushKey: string | undefined;
  /** Device record of this browser. Absent if the browser gets no notices. */
  own: Device | undefined;
  onAdded: () => void;
};

/** Turns on notices of this browser, or changes which ones it gets. */
export function BrowserNotices({ pushKey, own, onAdded }: BrowserProps) {
  const { terminal, profile, notify } = useDesk();
  const [name, setName] = useState<string>();
  const [wants, setWants] = useState<Wants>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const chosen = { name: name ?? own?.name ?? browserName(navigator.userAgent), wants: wants ?? own?.wants };

  async function add(key: string) {
    const subscription = await subscribe(key);
    const body = {
      type: "push",
      ...chosen,
      wants: chosen.wants ?? allWanted,
      subscription: subscription.toJSON(),
    };
    const { data, error } = await terminal.createDevice({ body: body as NewDevice });
    if (error) throw new NoPush(refusalText(error));
    rememberDevice(profile.userID, { deviceId: data.device.deviceId, endpoint: subscription.endpoint });
    notify(own ? "The choice is saved" : "This browser gets notices now");
    onAdded();
  }
  async function submit() {
    if (pushKey === undefined) return;
    setBusy(true);
    setProblem("");
    await add(pushKey).catch((error: Error) => setProblem(error.message));
    setBusy(false);
  }

  const hindrance = pushKey === undefined ? noPushKey : pushProblem();
  if (hindrance !== undefined) return <p class="notice">{hindrance}</p>;
  return (
    <Form label="Notices of this browser" class="device-form" onSubmit={submit}>
      <Field label="Name of this browser">
        <input
          required
          maxLength={40}
          value={chosen.name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      <WantsChoices wants={chosen.wants ?? allWanted} onPick={setWants} />
      {problem && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {own ? "Save the choice" : "Turn on notices"}
      </button>
    </Form>
  );
}

const noPushKey =
  "This service sends no notices to browsers, because its operators have made no key for them. Webhooks work.";
