/**
 * The rows of the table "Words that are not used" in docs/glossary.md, with an expression that finds each in a text. If
 * a word is only wrong in one sense (`hold` of a lock, but not of a container), the expression finds phrases of that
 * sense.
 */
export const BANNED_WORDS = [
  {
    insteadOf: '`hold`, `holder` (of a row or a key)',
    write: 'lock, owner of the lock',
    found:
      /\b(holders?|holds? on (a|the)|(hold|holds|held|holding) (a|an|the|its|their|one) ([\w’']+ )?(row|key)s?)\b/gi,
  },
  {
    insteadOf: '`hear`, `hear of`, `tell` (between processes)',
    write: 'be notified, receive a notification; notify',
    found:
      /\b(hear|hears|heard|hearing)\b|\b(tell|tells|told|telling) (the |a |an |every |each |all |other |another )*(process|processes|worker|workers|others|instances?)\b/gi,
  },
  { insteadOf: '`sign of life`', write: 'heartbeat', found: /\bsigns? of life\b/gi },
  {
    insteadOf: '`take back` (a job)',
    write: 'reclaim',
    found: /\b(take|takes|took|taken|taking)( (a|the) jobs?| jobs| it| them)? back\b/gi,
  },
  {
    insteadOf: '`take up` (a job)',
    write: 'claim',
    found: /\b(take|takes|took|taken|taking)( (a|the) jobs?| jobs| it| them)? up\b(?! to)/gi,
  },
  { insteadOf: '`polite`', write: 'skips locked rows', found: /\b(im)?polite(ly)?\b/gi },
  {
    insteadOf: '`stands in line`',
    write: 'is queued',
    found: /\b(stand|stands|stood|standing|wait|waits|waited|waiting|queue) in line\b/gi,
  },
  {
    insteadOf: '`give up` (a slot)',
    write: 'release',
    found: /\b(give|gives|gave|given|giving)( (a|the|its) slots?| it)? up\b/gi,
  },
  {
    insteadOf: '`promise` (of work)',
    write: 'add a job, owe a delivery',
    found: /\b(promise|[Pp]romises|[Pp]romised|[Pp]romising)\b/g,
  },
  { insteadOf: '`anew`', write: 'again', found: /\banew\b/gi },
  {
    insteadOf: '`whoever`, `somebody`, `nobody` (for a process or key)',
    write: 'the process, the caller, the key, the worker',
    found: /\b(whoever|whomever|somebody|nobody)\b/gi,
  },
];
