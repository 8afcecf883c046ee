# The version in scripts/node/package.json; a test holds them together.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS manifest
WORKDIR /slipway
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY scripts/package.json scripts/
COPY scripts/node/package.json scripts/node/
# Each file exists only if the build is given the secret of its name; see docs/running.md.
ENV npm_config_cafile=/run/secrets/ca \
    npm_config_userconfig=/run/secrets/npmrc

# No install script is needed here, and none runs: that of PostgreSQL would only prepare a server that this image lacks.
FROM manifest AS build
RUN --mount=type=cache,target=/var/cache/npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc \
  npm ci --omit=dev --workspace=slipway-console --workspace=slipway-scripts --include-workspace-root \
  --ignore-scripts --cache /var/cache/npm
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY migrations migrations
COPY scripts scripts
COPY console console
COPY src src
RUN npm run build

FROM manifest AS dependencies
RUN --mount=type=cache,target=/var/cache/npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc \
  npm ci --omit=dev --workspaces=false --ignore-scripts --cache /var/cache/npm
# The client of Kubernetes is large and is not installed with the others. The lockfile has its version and dependencies.
RUN --mount=type=cache,target=/var/cache/npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc \
  npm install @kubernetes/client-node --no-save --save-prod --omit=dev --workspaces=false --ignore-scripts --cache /var/cache/npm

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="Slipway" \
      org.opencontainers.image.description="The self-hosted backend for conversational agents"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /slipway
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY package.json ./
COPY --from=dependencies /slipway/node_modules node_modules
COPY config config
COPY --from=build /slipway/dist dist
# The number of the user `node`: Kubernetes' runAsNonRoot does not believe names.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=300s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell between, so that SIGTERM reaches the service.
CMD ["node", "--max-semi-space-size=16", "dist/bundle/main.js"]
