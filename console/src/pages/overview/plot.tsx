import 'uplot/dist/uPlot.min.css';
import './plot.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { HOUR_MS } from '../../parts/durations.js';
import { Legend } from './legend.js';
import { type Curve, STYLES } from './curves.js';

/** The times to which the values of curves belong, in milliseconds since 1970. */
export interface TimeAxis {
  times: readonly number[];
  /** Where the axis begins and ends, also without values there. */
  from: number;
  to: number;
  /** Names the last of the times, such as `On the last day`. */
  last: string;
}

interface PlotProps {
  title: string;
  axis: TimeAxis;
  curves: readonly Curve[];
  format: (value: number) => string;
  /** Whether the values are written without decimals, so that no two steps of the axis look alike. */
  isWhole?: boolean;
  /** Whether the curves are named here, and not for several plots together. */
  hasLegend?: boolean;
}

const HEIGHT = 180;
const MILLISECONDS = 1;
/** How the library writes days and hours: the step between two, its text, and in the last place but one when a day begins. */
const TIMES = [
  [24 * HOUR_MS, '{MMM} {D}', '\n{YYYY}', null, null, null, null, null, 1],
  [HOUR_MS, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
];
const WHOLE_STEPS = Array.from({ length: 13 }, (_, digits) => [1, 2, 5].map((step) => step * 10 ** digits)).flat();

/** Draws curves over days or hours in UTC. Screen readers get the last values instead. */
export default function Plot({
  title,
  axis: { times, from, to, last },
  curves,
  format,
  isWhole = false,
  hasLegend = false,
}: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = place.current!;
    const ink = getComputedStyle(element).color;
    const style = { stroke: ink, grid: { stroke: scheme === 'dark' ? '#444' : '#ddd' }, ticks: { show: false } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        ms: MILLISECONDS,
        tzDate: (time) => UPlot.tzDate(new Date(time), 'Etc/UTC'),
        scales: { x: { range: [from, to] }, y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
        axes: [
          { ...style, values: TIMES },
          { ...style, size: 80, values: (_plot, values) => values.map(format), ...(isWhole && { incrs: WHOLE_STEPS }) },
        ],
        series: [
          {},
          ...curves.map(({ label, style = 'first' }) => ({
            label,
            width: 2,
            points: { show: true, size: 5 },
            ...STYLES[style],
          })),
        ],
      },
      [[...times], ...curves.map(({ values }) => [...values])],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [times, from, to, curves, format, isWhole, scheme]);
  const values = curves.map(({ label, values }) => `${label} ${lastOf(values, format)}`).join(', ');
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      {hasLegend && <Legend of={curves} />}
      <div ref={place} role="img" aria-label={`${title}. ${last}: ${values}`} />
    </figure>
  );
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const value = values.at(-1) ?? null;
  return value === null ? 'none' : format(value);
}
