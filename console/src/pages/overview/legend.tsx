import { type Curve, STYLES } from './plot.js';

/** Names curves that several plots have in common, each beside a piece of its line. */
export function Legend({ of }: { of: readonly Required<Pick<Curve, 'label' | 'style'>>[] }) {
  return (
    <ul className="legend" aria-label="Curves">
      {of.map(({ label, style }) => {
        const { stroke, dash } = STYLES[style];
        return (
          <li key={style} className="cell" dir="auto">
            <svg width="32" height="8" aria-hidden="true">
              <line x1="0" y1="4" x2="32" y2="4" stroke={stroke} strokeWidth="2" strokeDasharray={dash?.join(' ')} />
            </svg>{' '}
            {label}
          </li>
        );
      })}
    </ul>
  );
}
