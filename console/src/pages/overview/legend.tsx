import { type Curve, STYLES } from './curves.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';

/** Names curves, each beside a piece of its line. */
export function Legend({ of }: { of: readonly Pick<Curve, 'label' | 'style'>[] }) {
  return (
    <ul className="legend" aria-label="Curves">
      {of.map(({ label, style = 'first' }) => {
        const { stroke, dash } = STYLES[style];
        return (
          <li key={label} className="cell" dir="auto">
            <svg width="32" height="8" aria-hidden="true">
              <line x1="0" y1="4" x2="32" y2="4" stroke={stroke} strokeWidth="2" strokeDasharray={dash?.join(' ')} />
            </svg>{' '}
            {withVisibleMarks(label)}
          </li>
        );
      })}
    </ul>
  );
}
