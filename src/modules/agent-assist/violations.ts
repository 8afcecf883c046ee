/** The ways in which an event can violate the order of a conversation, each with its explanation for people. */
export const VIOLATIONS = {
  NO_FIRST_ENTRY: 'No agent has accepted the conversation yet. Its first agent enters with NA, or with redial.',
  FIRST_ENTRY_WHILE_ACTIVE: 'An agent is already active. Another one enters with WARM, or with COLD after a cold exit.',
  ENTRY_NOT_COLD: 'The previous agent left for a cold transfer. The next one enters with COLD.',
  ENTRY_AFTER_LAST_EXIT: 'The last agent has left. Only a redial continues the conversation.',
  COLD_ENTRY_WHILE_ACTIVE: 'In a cold transfer one agent is active at a time. The previous one leaves first.',
  WARM_ENTRY_WITHOUT_AGENT: 'A consultant enters while another agent is active, and no agent is.',
  REDIAL_WHILE_ACTIVE: 'A redial begins when no agent is active, and one still is.',
  EXIT_NOT_WARM: 'A consultant who entered with WARM leaves with WARM.',
  WARM_EXIT_OF_NO_CONSULTANT: 'Only a consultant who entered with WARM leaves with WARM.',
  EXIT_WHILE_OTHERS_ACTIVE: 'Other agents are still active. Consultants leave before the agent who asked them.',
  REDIAL_EXIT: 'After a redial an agent leaves with NA.',
  SUMMARY_BEFORE_LAST_EXIT:
    'A summary can be requested after the last agent has left, and before the conversation ends.',
  END_BEFORE_LAST_EXIT: 'A conversation ends after its last agent has left with NA.',
  AFTER_END: 'The conversation had ended.',
} as const;

export type Violation = keyof typeof VIOLATIONS;
export const VIOLATION_NAMES = Object.keys(VIOLATIONS) as [Violation, ...Violation[]];
