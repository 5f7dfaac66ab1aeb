# An operator's image: `docker build --build-arg APP=tensorflow .` after `npm run bundle -- tensorflow`, or without Docker
# `npm run images -- operator tensorflow`. It says the same as tools/images/src/definitions/operator.ts, line by line; a test compares them.

# Any image that has Node.js 24 on its PATH.
ARG BASE=node:24-slim
FROM ${BASE}
# A folder of dist, which `npm run bundle` has written.
ARG APP
ARG VERSION=unknown
LABEL org.opencontainers.image.title="${APP}-operator" \
      org.opencontainers.image.description="Muster's operator for training jobs: ${APP}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# Readable for the user below, whatever the umask of the machine that bundled.
COPY --chmod=755 dist/${APP} /opt/muster/operator
ENV NODE_ENV="production"
WORKDIR /opt/muster/operator
USER 65532:65532
ENTRYPOINT ["node","--max-semi-space-size=2","--heap-growing-percent=50","--liftoff-only","--v8-pool-size=1","/opt/muster/operator"]
CMD []
