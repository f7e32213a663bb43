import { useDesk } from "../desk.ts";

/** Lets the user settle an order whose answer was lost. */
export function Unanswered() {
  const { placing } = useDesk();
  const { unanswered, isBusy, repeat, leave } = placing;
  if (unanswered === undefined) return null;
  return (
    <div class="notice bad" role="alert">
      <p>
        {unanswered.text} was not answered, and may have been placed. It appears under Orders then. If it is
        sent again, it is placed once at most.
      </p>
      <div class="buttons">
        <button type="button" disabled={isBusy} onClick={repeat}>
          Send it again
        </button>
        <button type="button" class="plain" disabled={isBusy} onClick={leave}>
          Leave it
        </button>
      </div>
    </div>
  );
}
