import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

type StyleName = 'first' | 'second' | 'third' | 'fourth' | 'fifth' | 'fault';

/** Curves differ in their dashes as well as in their colors, for those who cannot distinguish the colors. */
export const STYLES: Readonly<Record<StyleName, { stroke: string; dash?: number[] }>> = {
  first: { stroke: '#228be6' },
  second: { stroke: '#e8590c', dash: [6, 4] },
  third: { stroke: '#9c36b5', dash: [2, 3] },
  fourth: { stroke: '#2b8a3e', dash: [10, 3, 2, 3] },
  fifth: { stroke: '#846358', dash: [12, 6] },
  fault: { stroke: '#e03131', dash: [6, 4] },
};

export interface Curve {
  label: string;
  values: readonly (number | null)[];
  style?: StyleName;
}

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
}

const HEIGHT = 180;
const MILLISECONDS = 1;

/** Draws curves over days or hours in UTC. Screen readers get the last values instead. */
export default function Plot({ title, axis: { times, from, to, last }, curves, format }: PlotProps) {
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
        axes: [style, { ...style, size: 80, values: (_plot, values) => values.map(format) }],
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
  }, [times, from, to, curves, format, scheme]);
  const values = curves.map(({ label, values }) => `${label} ${lastOf(values, format)}`).join(', ');
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`${title}. ${last}: ${values}`} />
    </figure>
  );
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const value = values.at(-1) ?? null;
  return value === null ? 'none' : format(value);
}
