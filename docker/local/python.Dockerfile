# A Python with the packages that docker/web/Dockerfile installs, for machines that cannot pull one;
# docker/build-local-image.sh fetches them. pip takes them from the folder, and nothing from elsewhere.
ARG BASE
FROM ${BASE}
COPY wheels /opt/wheels
RUN ln -s /usr/bin/python3 /usr/local/bin/python
ENV LANG=C.UTF-8 \
    PIP_NO_INDEX=1 \
    PIP_FIND_LINKS=/opt/wheels \
    PIP_BREAK_SYSTEM_PACKAGES=1 \
    PIP_ROOT_USER_ACTION=ignore
