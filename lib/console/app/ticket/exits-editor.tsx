import { Drawer } from "../controls.tsx";
import { NumberField, Problem } from "../number-field.tsx";
import { type ExitText, freshExit, mostExits, sumOf, wrongExit } from "./exits.ts";

type EditorProps = {
  exits: readonly ExitText[];
  /** Problem of all exits together, or the reason why the service would refuse them. */
  problem?: string | undefined;
  onEdit: (exits: readonly ExitText[]) => void;
};

/** Edits what is sold of a buy later, at which prices. */
export function ExitsEditor({ exits, problem, onEdit }: EditorProps) {
  const change = (index: number, changed: Partial<ExitText>) =>
    onEdit(exits.map((exit, each) => (each === index ? { ...exit, ...changed } : exit)));
  const left = 100 - sumOf(exits);
  return (
    <div class="exits">
      {exits.map((exit, index) => {
        const problems = wrongExit(exit);
        const field = (name: "percent" | "gain" | "loss", label: string) => (
          <NumberField
            label={label}
            problem={problems[name]}
            value={exit[name]}
            onEdit={(text) => change(index, { [name]: text })}
          />
        );
        return (
          <fieldset key={index} class="exit">
            <legend>Exit {index + 1}</legend>
            {field("percent", "Sells, %")}
            {field("gain", "Take profit, + %")}
            {field("loss", exit.isTrailing ? "Below its top, − %" : "Stop, − %")}
            <label class="check">
              <input
                type="checkbox"
                checked={exit.isTrailing}
                onChange={({ currentTarget }) => change(index, { isTrailing: currentTarget.checked })}
              />
              trailing
            </label>
            <button
              type="button"
              class="plain"
              aria-label={`Remove exit ${index + 1}`}
              onClick={() => onEdit(exits.filter((_, each) => each !== index))}
            >
              Remove
            </button>
          </fieldset>
        );
      })}
      <Problem text={problem} />
      <div class="buttons">
        {exits.length < mostExits && left > 0 && (
          <button type="button" onClick={() => onEdit([...exits, freshExit(exits)])}>
            Add an exit
          </button>
        )}
        <span class="quiet">At most {mostExits}, which sell at most 100 % together.</span>
      </div>
    </div>
  );
}

type DrawerProps = EditorProps & {
  /** True if the service may add exits to a buy that has none. */
  isAdded: boolean;
  isOptedOut: boolean;
  onOptOut: (isOptedOut: boolean) => void;
  /** Fills in the exits of the user's preset. */
  onTake: () => void;
};

/** Edits the exits of the buy in the ticket, or takes those of the preset. */
export function ExitsDrawer({ isAdded, isOptedOut, onOptOut, onTake, ...editor }: DrawerProps) {
  const { exits, problem } = editor;
  return (
    <Drawer isNeeded={problem !== undefined}>
      <summary>Exits of this buy {exits.length > 0 && <span class="badge">{exits.length}</span>}</summary>
      <ExitsEditor {...editor} />
      <button type="button" class="plain" onClick={onTake}>
        Take those of the preset
      </button>
      {isAdded && exits.length === 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isOptedOut}
            onChange={({ currentTarget }) => onOptOut(currentTarget.checked)}
          />
          no exits, not even the preset's
        </label>
      )}
    </Drawer>
  );
}
