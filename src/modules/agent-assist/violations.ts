/** The ways in which an event can violate the order of a conversation, each with its explanation for people. */
export const VIOLATIONS = {
  NO_FIRST_ENTRY: 'Nobody has accepted the conversation yet: its first agent enters with NA, or with redial.',
  FIRST_ENTRY_WHILE_ACTIVE: 'An agent is active already: another one enters with WARM, or with COLD after a cold exit.',
  ENTRY_NOT_COLD: 'The agent before left for a cold transfer: the next one enters with COLD.',
  ENTRY_AFTER_LAST_EXIT: 'The last agent has left: the conversation goes on only with a redial.',
  COLD_ENTRY_WHILE_ACTIVE: 'In a cold transfer one agent is active at a time: the one before leaves first.',
  WARM_ENTRY_WITHOUT_AGENT: 'A consultant enters while another agent is active, and nobody is.',
  REDIAL_WHILE_ACTIVE: 'A redial begins when nobody is active, and an agent still is.',
  EXIT_NOT_WARM: 'A consultant who entered with WARM leaves with WARM.',
  WARM_EXIT_OF_NO_CONSULTANT: 'Only a consultant who entered with WARM leaves with WARM.',
  EXIT_WHILE_OTHERS_ACTIVE: 'Others are still active: consultants leave before the agent who asked them.',
  REDIAL_EXIT: 'After a redial an agent leaves with NA.',
  SUMMARY_BEFORE_LAST_EXIT: 'A summary is asked for after the last agent has left, and before the end.',
  END_BEFORE_LAST_EXIT: 'A conversation ends after its last agent has left with NA.',
  AFTER_END: 'The conversation had ended.',
} as const;

export type Violation = keyof typeof VIOLATIONS;
export const VIOLATION_NAMES = Object.keys(VIOLATIONS) as [Violation, ...Violation[]];
