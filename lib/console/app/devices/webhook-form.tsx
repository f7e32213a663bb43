import { useState } from "preact/hooks";
import { Field, Form } from "../controls.tsx";
import { useCopy, useDesk } from "../desk.ts";
import { type NewDevice, refusalText } from "./use-devices.ts";
import { allWanted, WantsChoices } from "./wants.tsx";

const empty = { name: "", url: "", wants: allWanted };

/** Adds a webhook, and shows its secret once. */
export function WebhookForm({ onAdded }: { onAdded: () => void }) {
  const { terminal } = useDesk();
  const copy = useCopy();
  const [form, setForm] = useState(empty);
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const edit = (change: Partial<typeof form>) => setForm({ ...form, ...change });

  async function add() {
    setBusy(true);
    setProblem("");
    const { data, error } = await terminal.createDevice({ body: { type: "webhook", ...form } as NewDevice });
    setBusy(false);
    if (error) return setProblem(refusalText(error));
    setForm(empty);
    setSecret(data.device.secret);
    onAdded();
  }

  if (secret !== undefined)
    return (
      <section class="notice secret" data-unsaved role="status">
        <p>
          The webhook is added. It verifies notices by this secret, which is shown this once: keep it where
          only your server reads it.
        </p>
        <code class="whole">{secret}</code>
        <div class="buttons">
          <button type="button" class="primary" onClick={() => copy(secret, "The secret")}>
            Copy the secret
          </button>
          <button type="button" onClick={() => setSecret(undefined)}>
            I have kept it
          </button>
        </div>
      </section>
    );
  return (
    <details class="drawer">
      <summary>Add a webhook</summary>
      <Form
        label="Add a webhook"
        class="device-form"
        onSubmit={add}
        data-unsaved={form.url !== "" || undefined}
      >
        <Field label="Name">
          <input
            required
            maxLength={40}
            value={form.name}
            onInput={({ currentTarget }) => edit({ name: currentTarget.value })}
          />
        </Field>
        <Field label="Address" hint="https, on a host with public addresses">
          <input
            required
            type="url"
            inputMode="url"
            value={form.url}
            onInput={({ currentTarget }) => edit({ url: currentTarget.value })}
          />
        </Field>
        <WantsChoices wants={form.wants} onPick={(wants) => edit({ wants })} />
        {problem && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          Add the webhook
        </button>
      </Form>
    </details>
  );
}
