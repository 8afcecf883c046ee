/** The name of an administration key, or of the one in the settings, which has none. A line may end within that. */
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
