type Status = 'True' | 'False' | 'Unknown';

/** The statuses that KServe's controller reports, by what happens in the cluster. */
const condition = (type: string, status: Status, more: { reason?: string; message?: string } = {}) => ({
  type,
  status,
  ...more,
});

const model = (transitionStatus: string, targetModelState: string, more: object = {}) => ({
  transitionStatus,
  states: { activeModelState: 'Pending', targetModelState },
  ...more,
});

export const ready = (url: string) => ({
  url,
  address: { url: 'http://only-in-the-cluster.svc' },
  conditions: [
    condition('IngressReady', 'True'),
    condition('LatestDeploymentReady', 'True'),
    condition('PredictorReady', 'True'),
    condition('Ready', 'True'),
    condition('RoutesReady', 'True'),
  ],
  modelStatus: {
    ...model('UpToDate', 'Loaded', { copies: { failedCopies: 0, totalCopies: 1 } }),
    states: { activeModelState: 'Loaded', targetModelState: 'Loaded' },
  },
});

/** KServe has no address for a predictor that is not ready, so these two are false together. */
const unready = (more: { reason?: string; message?: string }) => [
  condition('IngressReady', 'False', { reason: 'Predictor ingress not created' }),
  condition('PredictorReady', 'False', more),
  condition('Ready', 'False', more),
];

/** In the standard mode, PredictorReady is the condition `Available` of the Deployment. */
const UNAVAILABLE = {
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/** A model that is in a state on its way to the first answer. */
export const onItsWay = (state: string) => ({
  conditions: unready(UNAVAILABLE),
  modelStatus: model('InProgress', state),
});

export const blocked = (lastFailureInfo: object | undefined) => ({
  conditions: unready(UNAVAILABLE),
  modelStatus: model('BlockedByFailedLoad', 'FailedToLoad', lastFailureInfo && { lastFailureInfo }),
});

export const invalid = (reason: string, message: string) => ({
  conditions: unready({}),
  modelStatus: model('InvalidSpec', 'FailedToLoad', { lastFailureInfo: { reason, message } }),
});

/** A model whose revision of Knative has failed. */
export const revisionFailed = (message: string) => ({
  conditions: unready({ reason: 'RevisionFailed', message: `Revision "a-revision" failed with message: ${message}.` }),
  modelStatus: model('InProgress', 'Pending'),
});

export const stopped = {
  conditions: [condition('Stopped', 'True'), condition('Ready', 'False', { reason: 'Stopped' })],
  modelStatus: model('UpToDate', 'Pending'),
};
