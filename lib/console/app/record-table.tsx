import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKept } from "./kept.ts";
import { type SortKey, sorted } from "./sorted.ts";

export type Column<Row> = {
  name: string;
  cell: (row: Row) => ComponentChildren;
  /** Returns the key by which the column is sorted. A column without it cannot be sorted. */
  by?: (row: Row) => SortKey;
  isNumber?: true;
  /** Width of the table in rem from which it has the column. Cards have all. */
  from?: 60 | 92 | 120;
};

/** Number of rows that are drawn at first, and that are added at a time. */
const pageSize = 50;

const classOf = ({ isNumber, from }: Pick<Column<unknown>, "isNumber" | "from">) =>
  `${isNumber ? "number" : ""} ${from ? `from-${from}` : ""}`.trim() || undefined;

type TableProps<Row> = {
  name: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** True for a row that comes after all others, however the table is sorted. */
  isLast?: (row: Row) => boolean;
  /** Buttons at the end of a row. */
  actions?: (row: Row) => ComponentChildren;
  /** Draws details under a row, over its whole width. */
  details?: (row: Row) => ComponentChildren;
  /** Reads further rows. Absent if all are there. */
  onMore?: (() => unknown) | undefined;
  moreText?: string;
};

/**
 * Shows records as rows of one line, or as cards on a narrow page. Draws a page of them at a time, so that thousands
 * cost no more than fifty.
 */
export function RecordTable<Row>(props: TableProps<Row>) {
  const { name, rows, columns, keyOf, isLast, actions, details, onMore, moreText } = props;
  const [sorting, setSorting] = useKept<{ column: number; isRising: boolean } | undefined>(
    `sorting of ${name}`,
    undefined,
  );
  const [most, setMost] = useState(pageSize);
  const isRising = sorting?.isRising ?? true;
  const by = sorting && columns[sorting.column]?.by;
  const ordered = useMemo(() => sorted(rows, by, isRising, isLast), [rows, by, isRising, isLast]);
  const shown = ordered.slice(0, most);
  const sort = (column: number) =>
    setSorting((before) =>
      before?.column !== column
        ? { column, isRising: !columns[column]?.isNumber }
        : { column, isRising: !before.isRising },
    );
  const isCut = rows.length > most;
  return (
    <>
      <table class="records" aria-label={name}>
        <thead>
          <tr>
            {columns.map(({ name: title, by: key, ...shape }, column) => (
              <th
                key={title}
                scope="col"
                class={classOf(shape)}
                aria-sort={sorting?.column === column ? (isRising ? "ascending" : "descending") : undefined}
              >
                {key === undefined ? (
                  title
                ) : (
                  <button type="button" class="plain" onClick={() => sort(column)}>
                    {title}
                  </button>
                )}
              </th>
            ))}
            {actions && (
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        {shown.map((row) => {
          const under = details?.(row);
          return (
            <tbody key={keyOf(row)} data-record={keyOf(row)}>
              <tr>
                {columns.map(({ name: title, cell, ...shape }) => (
                  <td key={title} data-name={title} class={classOf(shape)}>
                    {cell(row)}
                  </td>
                ))}
                {actions && <td class="actions">{actions(row)}</td>}
              </tr>
              {under && (
                <tr class="under">
                  <td colSpan={columns.length + 1}>
                    <Revealed>{under}</Revealed>
                  </td>
                </tr>
              )}
            </tbody>
          );
        })}
      </table>
      {(isCut || onMore) && (
        <button
          type="button"
          class="plain more"
          onClick={() => {
            setMost((before) => before + pageSize);
            if (!isCut) void onMore?.();
          }}
        >
          {isCut ? `Show more of ${rows.length}` : moreText}
        </button>
      )}
    </>
  );
}

/** Scrolls its content into view when it appears and whenever it grows, so that its last button can be seen. */
function Revealed({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    let height = 0;
    const observer = new ResizeObserver(() => {
      const { offsetHeight } = current;
      if (offsetHeight > height) current.scrollIntoView({ block: "nearest" });
      height = offsetHeight;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return <div ref={element}>{children}</div>;
}
