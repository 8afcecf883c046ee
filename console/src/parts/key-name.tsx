/** The name of an administration key, or of the one in the settings, which has none. Its long name breaks at the underscores. */
export function KeyName({ of: name }: { of: string | null }) {
  return (
    name ?? (
      <>
        SLIPWAY_
        <wbr />
        ADMIN_
        <wbr />
        KEY
      </>
    )
  );
}
