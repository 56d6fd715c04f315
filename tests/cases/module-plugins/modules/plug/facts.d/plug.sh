#!/bin/sh
echo plug_external=yes
