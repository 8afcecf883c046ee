export type StyleName = 'first' | 'second' | 'third' | 'fourth' | 'fifth' | 'fault';

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
